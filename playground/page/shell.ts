/** The HTML document that the page's script fills in. */
import { type Html, html } from './render/html.ts';
import { CROSS, MENU } from './render/icons.ts';
import { renderMarkdown } from './render/markdown.ts';
import type { PageSlack } from './workspace-port.ts';

export interface Suggestion {
  readonly text: string;
  readonly summary: string;
  /** Shown as soon as `/` is typed. */
  readonly isFirst: boolean;
}

export interface Banner {
  readonly text: string;
  /** The label of the button that shows the steps. */
  readonly button: string;
  /** Both, where there is room for one line only. */
  readonly short: { readonly text: string; readonly button: string };
  readonly title: string;
  /** In order; `code` between backquotes. */
  readonly steps: readonly string[];
  /** Text to copy, with its label. */
  readonly copy: { readonly label: string; readonly text: string };
}

interface ShellOptions {
  readonly teamName: string;
  readonly examples: readonly string[];
  readonly suggestions: readonly Suggestion[];
  readonly banner: Banner | undefined;
}

const STYLES = ['base', 'layout', 'dialog', 'messages', 'blocks', 'charts', 'controls', 'drawer', 'share'];
const FONT = '/static/inter-latin-400-normal.woff2';

interface ShownCanvas {
  readonly title: string;
  readonly markdown: string;
}

/** A canvas as a page of its own, plainly. */
export function renderCanvas({ title, markdown }: ShownCanvas, { people }: Pick<PageSlack, 'people'>): string {
  const nameOf = (id: string): string => people().find((person) => person.id === id)?.realName ?? id;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/static/icon.svg">
${['base', 'blocks', 'canvas'].map((name) => html`<link rel="stylesheet" href="/static/${name}.css">`)}
</head>
<body>
<article class="canvas"><p class="badge">Canvas</p><h1>${title}</h1><div class="text markdown">${renderMarkdown(markdown, nameOf)}</div></article>
</body>
</html>`.markup;
}

export function renderShell({ teamName, examples, suggestions, banner }: ShellOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${teamName} · playground</title>
<link rel="icon" href="/static/icon.svg">
<link rel="preload" href="${FONT}" as="font" type="font/woff2" crossorigin>
${STYLES.map((name) => html`<link rel="stylesheet" href="/static/${name}.css">`)}
<script type="module" src="/static/app.js"></script>
</head>
<body>
<button type="button" class="skip" id="skip">Skip to the conversation</button>
${banner !== undefined && renderBanner(banner)}
<aside id="places" aria-label="Places" popover><p class="team">${teamName}</p><nav id="nav" aria-label="Channels"></nav></aside>
<main><h1 class="hidden">${teamName}</h1>
<header class="bar"><button type="button" class="round" id="menu" popovertarget="places" aria-label="Channels and people">${MENU}<span class="dot" id="menu-news" aria-hidden="true" hidden></span></button><div class="where"><h2 id="title"></h2><p id="note"></p></div>
<div class="side"><time id="clock" title="Workspace time"></time><button type="button" class="button" id="drawer-toggle" aria-expanded="true" aria-controls="drawer" hidden>Try it <span id="drawer-done"></span></button></div></header>
<div id="messages" role="log" aria-label="Messages" aria-live="polite" tabindex="0"></div>
<div id="strip"${examples.length === 0 && html` hidden`}><span id="strip-label">Try</span><div class="chips" role="group" aria-labelledby="strip-label">${examples.map(
    (example) => html`<button type="button" class="chip" data-example="${example}">${example}</button>`,
  )}</div></div>
<form id="composer" class="composer"><div class="box"><label class="hidden" for="box">Message</label>
<input id="box" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="4000" role="combobox" aria-expanded="false" aria-controls="suggestions" aria-autocomplete="list">
<ul id="suggestions" role="listbox" aria-label="Commands" hidden>${suggestions.map(renderSuggestion)}</ul></div><button class="button primary" type="submit">Send</button></form>
</main>
<section id="thread" hidden aria-label="Thread">
<header class="bar"><h2>Thread</h2><button type="button" class="round" id="thread-close" aria-label="Close thread">${CROSS}</button></header>
<div id="replies" role="log" aria-label="Replies" aria-live="polite" tabindex="0"></div>
<form id="reply" class="composer"><label class="hidden" for="reply-box">Reply</label>
<input id="reply-box" autocomplete="off" placeholder="Reply, or mention the bot to ask" maxlength="4000"><button class="button primary" type="submit">Send</button></form>
</section>
<section id="drawer" hidden aria-label="Try it">
<header class="bar"><h2>Try it</h2><button type="button" class="round" id="drawer-close" aria-label="Close panel">${CROSS}</button></header>
<div id="drawer-body" tabindex="0" role="region" aria-label="Things to try"><div id="panels"></div><div id="calls" role="log" aria-live="off" aria-labelledby="calls-title" tabindex="0"></div></div>
</section>
<dialog id="dialog" aria-label="Form"></dialog>
<dialog id="question" aria-labelledby="question-title"><form method="dialog" class="modal"><header><h2 id="question-title"></h2></header><p class="modal-body" id="question-text"></p><footer><button class="button" value="no" id="question-no"></button><button class="button primary" value="yes" id="question-yes"></button></footer></form></dialog>
<dialog id="viewer" aria-label="Picture"><form method="dialog" class="modal"><header><a id="viewer-link" target="_blank">Open in a new tab</a><span class="brief">Swipe to see all of it</span><button class="round" aria-label="Close">${CROSS}</button></header><div id="viewer-body" tabindex="0" role="region" aria-label="Picture at full size"><img id="viewer-picture" alt=""></div></form></dialog>
<dialog id="share" aria-labelledby="share-title"><form method="dialog" class="modal"><header><h2 id="share-title">Share as a picture</h2><button class="round" aria-label="Close">${CROSS}</button></header>
<div class="modal-body"><fieldset class="themes"><legend class="hidden">Theme</legend><label><input type="radio" name="theme" value="light" checked> Light</label><label><input type="radio" name="theme" value="dark"> Dark</label></fieldset>
<img id="share-picture" alt="The message as a picture" hidden><p id="share-status" role="status"></p></div>
<footer><button type="button" class="button" id="share-copy">Copy</button><a class="button primary" id="share-download">Download PNG</a></footer></form></dialog>
<dialog id="waiting" aria-labelledby="waiting-title"><div class="modal"><header><h2 id="waiting-title"></h2></header><p class="modal-body" role="status">A whole night happens at high speed: people type, the app answers. This takes about ten seconds.</p></div></dialog>
<p id="toast" role="status" popover="manual"></p>
<p id="announcement" class="hidden" role="status"></p>
<noscript>The playground needs JavaScript.</noscript>
</body>
</html>`.markup;
}

const renderSuggestion = ({ text, summary, isFirst }: Suggestion, index: number) =>
  html`<li role="option" id="suggestion-${index}" data-text="${text}"${isFirst && html` data-first`} hidden><code>${text}</code><span>${summary}</span></li>`;

function renderBanner({ text, button, short, title, steps, copy }: Banner): Html {
  const either = (long: string, brief: string) =>
    html`<span class="long">${long}</span><span class="brief">${brief}</span>`;
  return html`<section id="banner" aria-label="About this page"><p>${either(text, short.text)}</p><button type="button" class="link" id="banner-open">${either(button, short.button)}</button><button type="button" class="round" id="banner-close" aria-label="Close notice">${CROSS}</button></section>
<dialog id="connect" aria-labelledby="connect-title"><form method="dialog" class="modal"><header><h2 id="connect-title">${title}</h2><button class="round" aria-label="Close">${CROSS}</button></header>
<div class="modal-body"><ol class="steps">${steps.map((step) => html`<li>${withCode(step)}</li>`)}</ol>
<label for="copy-text">${copy.label}</label><textarea id="copy-text" readonly rows="7" spellcheck="false">${copy.text}</textarea></div>
<footer><button type="button" class="button primary" id="copy" data-label="Copy">Copy</button><button class="button">Close</button></footer></form></dialog>`;
}

const withCode = (text: string): readonly Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
