/** A message with its files, its replies and its shortcuts. */
import { objectsIn } from '../../slack/json.ts';
import type { PageMessage, PageSlack } from '../workspace-port.ts';
import { renderBlocks } from './blocks.ts';
import type { RenderContext } from './context.ts';
import { clockTime } from './dates.ts';
import { type Html, html } from './html.ts';
import { renderMrkdwn } from './mrkdwn.ts';

export interface MessageFrame {
  readonly replies: number;
  readonly inThread: boolean;
  readonly shortcuts: PageSlack['workspace']['app']['shortcuts'];
}

export function renderMessage(message: PageMessage, frame: MessageFrame, context: RenderContext): Html {
  const name = context.nameOf(message.user);
  const isBot = message.botId !== undefined;
  const isPrivate = message.visibleTo !== undefined;
  return html`<article class="message${isBot && ' bot'}${isPrivate && ' ephemeral'}" data-channel="${message.channel}" data-ts="${message.ts}">
${renderAvatar(name, isBot)}
<div class="body">
<header><b>${name}</b>${isBot && html`<span class="badge">APP</span>`}<time>${clockTime(message.ts, context.zone, context.nowMs)}</time>${
    message.edited && html`<small>(edited)</small>`
  }</header>
${isPrivate && html`<p class="only-you">👁 Only visible to you</p>`}
${renderContent(message, context)}
${!isPrivate && renderFoot(message, frame)}
</div></article>`;
}

function renderContent(message: PageMessage, context: RenderContext): Html {
  const own =
    message.blocks.length > 0
      ? renderBlocks(message.blocks, context)
      : message.text !== '' && html`<div class="text">${renderMrkdwn(message.text, context)}</div>`;
  const attached = message.attachments.map(
    (attachment) =>
      html`<div class="attachment">${renderBlocks(objectsIn(attachment.blocks), context)}${
        typeof attachment.text === 'string' && html`<div class="text">${renderMrkdwn(attachment.text, context)}</div>`
      }</div>`,
  );
  return html`${own}${attached}${message.fileIds.map((id) => renderFile(id, context))}`;
}

function renderFile(id: string, context: RenderContext): Html {
  const name = context.fileName(id) ?? id;
  return /\.(png|jpe?g|gif)$/i.test(name)
    ? html`<a href="/file/${id}" target="_blank"><img class="large" src="/file/${id}" alt="${name}" loading="lazy"></a>`
    : html`<a class="file" href="/file/${id}" download="${name}">📄 ${name}</a>`;
}

function renderFoot(message: PageMessage, frame: MessageFrame): Html {
  const replies = frame.replies === 1 ? '1 reply' : `${frame.replies} replies`;
  return html`<footer>${
    !frame.inThread &&
    html`<button type="button" class="link${frame.replies === 0 && ' faint'}" data-thread="${message.threadTs ?? message.ts}">${
      frame.replies > 0 ? replies : 'Reply in thread'
    }</button>`
  }${frame.shortcuts.map(
    ({ callbackId, name }) =>
      html`<button type="button" class="link faint" data-shortcut="${callbackId}">${name}</button>`,
  )}</footer>`;
}

function renderAvatar(name: string, isBot: boolean): Html {
  const initials = name
    .split(' ')
    .map((word) => word.slice(0, 1))
    .slice(0, 2)
    .join('');
  const shade = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 6;
  return html`<div class="avatar shade-${shade}" aria-hidden="true">${isBot ? '🛡️' : initials}</div>`;
}
