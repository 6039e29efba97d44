/** A message with its files, replies and tools. */
import { objectsIn } from '../../slack/json.ts';
import type { PageMessage, PageSlack } from '../workspace-port.ts';
import { renderBlocks } from './blocks.ts';
import type { RenderContext } from './context.ts';
import { clockTime, isoTime, renderTime } from './dates.ts';
import { withDrawnCircles } from './emoji.ts';
import { type Html, html } from './html.ts';
import { EYE, PAGE, PICTURE, REPLY, SPARK } from './icons.ts';
import { renderMrkdwn } from './mrkdwn.ts';
import { renderPicture } from './pictures.ts';

export interface MessageFrame {
  /** In order; empty if the message itself is shown in a thread. */
  readonly replies: readonly PageMessage[];
  readonly inThread: boolean;
  readonly shortcuts: PageSlack['workspace']['app']['shortcuts'];
}

const MAX_FACES = 4;

export function renderMessage(message: PageMessage, frame: MessageFrame, context: RenderContext): Html {
  const name = context.nameOf(message.user);
  const isBot = message.botId !== undefined;
  const isPrivate = message.visibleTo !== undefined;
  return html`<article class="message${isBot && ' bot'}${isPrivate && ' ephemeral'}" data-channel="${message.channel}" data-ts="${message.ts}" data-replies="${frame.replies.length}" data-version="${message.versions.length}" aria-label="${name}, ${clockTime(message.ts, context.zone, context.nowMs)}">
${renderAvatar(message.user, context)}
<div class="body">
<header><b>${name}</b>${isBot && html`<span class="badge">APP</span>`}${renderTime(message.ts, context)}${renderEdits(message, context)}</header>
${isPrivate && html`<p class="only-you">${EYE} Only visible to you</p>`}
${renderContent(message, context)}
${!isPrivate && frame.replies.length > 0 && renderReplies(message, frame.replies, context)}
</div>${!isPrivate && renderTools(message, frame)}</article>`;
}

function renderEdits({ edited, versions }: PageMessage, context: RenderContext): Html | false {
  const last = versions.at(-1);
  if (!edited || last === undefined) return false;
  const times = versions.length === 2 ? 'once' : `${versions.length - 1} times`;
  const at = clockTime(String(last.atMs / 1000), context.zone, context.nowMs);
  return html`<small class="edited" title="Edited ${times}, last at ${at}">(edited ${times})</small>`;
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
  return withDrawnCircles(html`${own}${attached}${message.fileIds.map((id) => renderFile(id, context))}`);
}

function renderFile(id: string, context: RenderContext): Html {
  const name = context.fileName(id) ?? id;
  return /\.(png|jpe?g|gif)$/i.test(name)
    ? renderPicture({ fileId: id, alt: name, kind: 'large', size: context.pictureSize(id) })
    : html`<a class="file" href="/file/${id}" download="${name}">${PAGE} ${name}</a>`;
}

function renderReplies(message: PageMessage, replies: readonly PageMessage[], context: RenderContext): Html {
  const faces = [...new Set(replies.map(({ user }) => user))].slice(0, MAX_FACES);
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  const last = replies.at(-1)?.ts ?? message.ts;
  return html`<button type="button" class="replies" data-thread="${message.threadTs ?? message.ts}"><span class="faces">${faces.map(
    (user) => renderAvatar(user, context),
  )}</span><b>${count}</b><span>last <time datetime="${isoTime(last)}">${clockTime(last, context.zone, context.nowMs)}</time></span></button>`;
}

/** Shown while the message is hovered or focused. */
function renderTools(message: PageMessage, frame: MessageFrame): Html {
  return html`<div class="tools">${
    !frame.inThread &&
    html`<button type="button" data-thread="${message.threadTs ?? message.ts}" title="Reply in thread" aria-label="Reply in thread">${REPLY}</button>`
  }${frame.shortcuts.map(
    ({ callbackId, name }) =>
      html`<button type="button" data-shortcut="${callbackId}" title="${name}" aria-label="${name}">${SPARK}</button>`,
  )}${
    message.botId !== undefined &&
    html`<button type="button" data-share title="Share as a picture" aria-label="Share as a picture">${PICTURE}</button>`
  }</div>`;
}

function renderAvatar(user: string, context: RenderContext): Html {
  if (context.isApp(user)) return html`<img class="avatar" src="/static/icon.svg" alt="" aria-hidden="true">`;
  const name = context.nameOf(user);
  const initials = name
    .split(' ')
    .map((word) => word.slice(0, 1))
    .slice(0, 2)
    .join('');
  const shade = [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % 6;
  return html`<span class="avatar shade-${shade}" aria-hidden="true">${initials}</span>`;
}
