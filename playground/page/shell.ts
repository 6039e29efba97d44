/** The HTML document that the page's script fills. */
import { html } from './render/html.ts';

const STYLES = ['layout', 'dialog', 'messages', 'blocks', 'charts', 'controls'];

export function renderShell(teamName: string, notice: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${teamName} · playground</title>
<link rel="icon" href="/static/icon.svg">
${STYLES.map((name) => html`<link rel="stylesheet" href="/static/${name}.css">`)}
<script type="module" src="/static/app.js"></script>
</head>
<body>
<aside><h1>${teamName}</h1><p class="notice">${notice}</p><nav id="nav"></nav></aside>
<main>
<header class="bar"><h2 id="title"></h2><p id="note"></p></header>
<div id="messages" role="log" aria-live="polite" tabindex="0"></div>
<form id="composer" class="composer"><label class="hidden" for="box">Message</label>
<input id="box" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="4000"><button class="button primary" type="submit">Send</button></form>
</main>
<section id="thread" hidden aria-label="Thread">
<header class="bar"><h2>Thread</h2><button type="button" class="link" id="thread-close" aria-label="Close thread">✕</button></header>
<div id="replies"></div>
<form id="reply" class="composer"><label class="hidden" for="reply-box">Reply</label>
<input id="reply-box" autocomplete="off" placeholder="Reply… (mention the bot to ask it)" maxlength="4000"><button class="button primary" type="submit">Send</button></form>
</section>
<dialog id="dialog"></dialog>
<p id="toast" role="alert" popover="manual"></p>
<noscript>The playground needs JavaScript.</noscript>
</body>
</html>`.markup;
}
