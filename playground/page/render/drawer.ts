/** The drawer as HTML: missions, panels with buttons, and the list of calls. */
import type {
  CallLine,
  Countdown,
  DrawerButton,
  DrawerState,
  Ending,
  Field,
  Mission,
  Panel,
  Progress,
} from '../drawer-port.ts';
import type { RenderContext } from './context.ts';
import { comingTime, formatDate, timePair } from './dates.ts';
import { type Html, html } from './html.ts';
import { CHECK } from './icons.ts';

export function renderMissions(missions: readonly Mission[]): Html {
  const done = missions.filter((mission) => mission.done).length;
  return html`<section class="panel" aria-labelledby="missions-title"><h3 id="missions-title">Missions <span class="count">${done} of ${missions.length}</span></h3>
<ol class="missions">${missions.map(renderMission)}</ol></section>`;
}

export function renderEnding({ learned, summary, nextSeed }: Ending): Html {
  return html`<section class="panel" id="ending" aria-labelledby="ending-title"><h3 id="ending-title">You handled it</h3>
<ul class="learned">${learned.map((line) => html`<li>${line}</li>`)}</ul>
<div class="panel-buttons"><button type="button" class="button primary" data-connect>Connect your own Slack</button><button type="button" class="button" data-copy="summary" data-label="Copy summary">Copy summary</button></div>
<details id="summary-shown"><summary>Summary</summary><textarea id="summary" readonly rows="9" aria-label="Summary" spellcheck="false">${summary}</textarea></details>
<form class="again" data-night><label for="seed">Play the night again with another seed</label><input id="seed" name="seed" inputmode="numeric" autocomplete="off" maxlength="20" value="${nextSeed}"><button class="button">Play</button></form></section>`;
}

function renderMission({ id, title, hint, done, example, goTo }: Mission): Html {
  return html`<li class="mission${done && ' done'}" data-mission="${id}"><span class="tick">${done ? CHECK : undefined}</span><div><b>${title}</b><span class="hidden">${done ? ' (done)' : ' (open)'}</span>
${!done && html`<p>${hint}</p>`}${!done && example !== undefined && html`<button type="button" class="chip" data-example="${example}">${example}</button>`}${!done && goTo !== undefined && html`<button type="button" class="chip" data-message="${goTo.ts}" data-go="${goTo.place}">${goTo.label}</button>`}</div></li>`;
}

export function renderPanel(panel: Panel, context: RenderContext): Html {
  const { id, title, hint, fields, buttons } = panel;
  const switches = buttons.filter(({ on }) => on !== undefined);
  const presses = buttons.filter(({ on }) => on === undefined);
  return html`<section class="panel" data-panel="${id}" aria-labelledby="panel-${id}"><h3 id="panel-${id}">${title}</h3><p class="hint">${hint}</p>
${fields.length > 0 && html`<div class="panel-fields">${fields.map((field) => renderField(field, id))}</div>`}
${switches.length > 0 && html`<div class="switches">${switches.map(renderSwitch)}</div>`}
<div class="panel-buttons">${presses.map((press) => renderPress(press, context))}</div></section>`;
}

function renderField({ name, label, options }: Field, panel: string): Html {
  return html`<div><label for="${panel}-${name}">${label}</label><select id="${panel}-${name}" name="${name}">${options.map(
    ({ value, label: text }) => html`<option value="${value}">${text}</option>`,
  )}</select></div>`;
}

const renderSwitch = ({ id, label, hint, on }: DrawerButton) =>
  html`<button type="button" class="switch" role="switch" aria-checked="${on === true ? 'true' : 'false'}" data-press="${id}"><i aria-hidden="true"></i><span>${label}<small>${hint ?? ''}</small></span></button>`;

function renderPress({ id, label, hint, note, primary, disabled }: DrawerButton, context: RenderContext): Html {
  const described = note !== undefined && html` aria-describedby="note-${id}"`;
  const button = html`<button type="button" class="button${primary === true && ' primary'}" data-press="${id}"${hint !== undefined && html` title="${hint}"`}${described}${disabled === true && html` disabled`}>${label}</button>`;
  if (note === undefined) return button;
  const when = note.atMs === undefined ? '' : `${comingTime(note.atMs, context.zone, context.nowMs)}: `;
  return html`<div class="with-note">${button}<small id="note-${id}">${when}${note.text}</small></div>`;
}

export function renderStatus({ status, progress, countdown }: Panel, context: RenderContext): Html {
  if (progress !== undefined) return renderProgress(progress, context);
  if (countdown !== undefined) return renderCountdown(countdown, context);
  return status === '' ? html`` : html`<p class="status" role="status">${status}</p>`;
}

/** `08:35 of 09:14`; announced separately, because it changes several times a second. */
function renderProgress({ fromMs, toMs, nowMs, text }: Progress, { zone }: RenderContext): Html {
  const [now, to] = timePair(Math.min(nowMs, toMs), toMs, zone);
  const done = Math.min(100, Math.round((100 * (nowMs - fromMs)) / Math.max(1, toMs - fromMs)));
  return html`<div class="status"><progress max="100" value="${done}" aria-label="Fast-forwarding"></progress><p>${now} of ${to} · ${text}</p></div>`;
}

/** The page's script counts on. Only its beginning is announced. */
function renderCountdown({ before, after, untilMs }: Countdown, { nowMs }: RenderContext): Html {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  return html`<p class="status">${before} <b class="left" data-until="${untilMs}">${seconds} s</b> ${after}</p>`;
}

const QUARTER = 25;

/** For screen readers: of a move, its start and each quarter; of what lasts, until when. */
export function announcementOf(panels: readonly Panel[], { zone }: RenderContext): string {
  const progress = panels.find((panel) => panel.progress !== undefined)?.progress;
  const countdown = panels.find((panel) => panel.countdown !== undefined)?.countdown;
  if (progress === undefined) {
    if (countdown === undefined) return '';
    return `${countdown.until} ${formatDate(countdown.untilMs / 1000, '{time_secs}', zone, countdown.untilMs)}.`;
  }
  const { fromMs, toMs, nowMs, text } = progress;
  const done = QUARTER * Math.floor((100 * (nowMs - fromMs)) / Math.max(1, toMs - fromMs) / QUARTER);
  const to = comingTime(toMs, zone, fromMs);
  return done <= 0 ? `Fast-forwarding to ${to}: ${text}.` : `${Math.min(100, done)} %`;
}

export function renderCallsHead({ callsTitle, callsSummary }: DrawerState): Html {
  return html`<h3 id="calls-title">${callsTitle}</h3><p class="hint">${callsSummary}</p>`;
}

export function renderCall({ atMs, peer, what, outcome, tone, tookMs }: CallLine, context: RenderContext): Html {
  const at = formatDate(atMs / 1000, '{time_secs}', context.zone, context.nowMs);
  const took = tookMs === undefined ? '' : `${Math.max(1, Math.round(tookMs))} ms`;
  return html`<div class="call ${tone}"><time datetime="${new Date(atMs).toISOString()}">${at}</time><span class="peer">${peer}</span><span class="what">${what}</span><span class="outcome">${outcome}</span><span class="took">${took}</span></div>`;
}
