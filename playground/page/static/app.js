// Fetches the screen, shows what changed, and sends the person's actions.
import { clientName, readAddress, writeAddress } from './address.js';
import { setUpComposer, setUpReply } from './composer.js';
import { collectChoices, readControl, restoreChoices } from './controls.js';
import { openDrawer, setClock, setUpDrawer, showDrawer, valuesAround } from './drawer.js';
import { changed, follow, followAgain, forget, replaceFragments, stopFollowing, watchReading } from './fragments.js';
import { followNight, playNight } from './night.js';
import { confirmed, copyFrom, setUpBanner, setUpToast, toast } from './notices.js';
import { setUpShare, shareMessage } from './share.js';
import { viewPicture } from './viewer.js';

const byId = (id) => document.getElementById(id);
const client = clientName();
const team = document.title;
const current = { user: '', place: '', thread: '', since: null };
/** A message that awaits an answer: its thread opens automatically. */
let awaited = null;
const AWAIT_MS = 60_000;
/** On narrow screens the drawer covers the conversation. */
const isNarrow = () => innerWidth < 1100;

async function send(action, body) {
  try {
    const response = await fetch(`/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client, ...body }),
    });
    const result = await response.json();
    if (result.error ?? result.notice) toast(result.error ?? result.notice);
    return result;
  } catch {
    toast('Can’t reach the playground. Is it still running?');
    return { error: 'unreachable' };
  }
}

let loading = false;
let again = false;
async function refresh() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  const { user, place, thread, since } = current;
  try {
    const query = new URLSearchParams({ user, place, thread, since: since ?? '', client });
    const screen = await (await fetch(`/screen?${query}`)).json();
    // The person may have left in the meantime; the address changes before the event arrives.
    if (isAt({ user, place, thread })) show(screen);
    else arrive();
  } catch {
    toast('Can’t reach the playground. Is it still running?');
  }
  loading = false;
  if (again) {
    again = false;
    refresh();
  }
}

function show(screen) {
  const isFirst = current.since === null;
  current.place = screen.place;
  if (isFirst)
    current.since = screen.readTo !== '0' && Number(screen.newest) > Number(screen.readTo) ? screen.readTo : '';
  // Only if it differs, or a pending back navigation would be lost.
  if (!isAt(current)) history.replaceState(null, '', writeAddress(current));
  if (changed('nav', screen.nav)) byId('nav').innerHTML = screen.nav;
  byId('menu-news').hidden = screen.unread === 0;
  byId('menu').ariaLabel = screen.unread === 0 ? 'Channels and people' : 'Channels and people, new messages';
  byId('title').textContent = screen.title;
  byId('note').textContent = screen.note;
  document.title = `${screen.unread > 0 ? `(${screen.unread}) ` : ''}${screen.title} · ${team}`;
  byId('box').placeholder = screen.placeholder;
  const isHome = screen.place === 'home';
  byId('composer').hidden = isHome;
  byId('strip').hidden = isHome || byId('strip').querySelector('.chip') === null;
  replaceFragments(byId('messages'), screen.fragments);
  follow(byId('messages'));
  byId('thread').hidden = screen.thread === null;
  document.body.classList.toggle('with-thread', screen.thread !== null);
  replaceFragments(byId('replies'), screen.thread ?? []);
  follow(byId('replies'));
  showModal(screen.modal);
  setClock(screen.nowMs, screen.zone);
  showDrawer(screen.drawer);
  followNight(screen.night, screen.drawer?.begun, send);
  openAwaited();
  showSought();
  if (isFirst && current.since !== '') refresh();
  markRead(screen);
}

/** The message that a link points to. */
let sought = '';
function showSought() {
  const message = sought === '' ? null : messageAt(sought);
  if (!message) return;
  sought = '';
  stopFollowing(byId('messages'));
  message.scrollIntoView({ block: 'start' });
  message.classList.add('updated');
}

/** What a visible window shows has been read. */
function markRead({ newest, readTo, place }) {
  if (document.hidden || Number(newest) <= Number(readTo)) return;
  send('read', { user: current.user || readAddress().user, place, ts: newest });
}

function showModal(modal) {
  const dialog = byId('dialog');
  if (!modal) {
    if (dialog.open) dialog.close();
    forget('dialog');
    return;
  }
  // Keep what was typed when the same view is rendered again.
  const same = dialog.querySelector('form')?.dataset.view === modal.key;
  if (changed('dialog', `${modal.key}/${modal.html}`)) {
    const entered = same ? collectChoices(dialog) : {};
    dialog.innerHTML = modal.html;
    restoreChoices(dialog, entered);
  }
  if (!dialog.open) dialog.showModal();
  if (!dialog.contains(document.activeElement) || document.activeElement.matches('[data-close]')) {
    dialog.querySelector('.modal-body :is(input, select, textarea)')?.focus();
  }
}

/** Goes to a place by its address, so that the back button works. */
function go(change) {
  byId('places').hidePopover();
  const next = { user: current.user, place: current.place, thread: '', ...change };
  location.hash = writeAddress(next);
}

function isAt({ user, place, thread }) {
  const here = readAddress();
  return here.user === user && here.place === place && here.thread === thread;
}

function arrive() {
  const { place, thread, user } = readAddress();
  if (place !== current.place || user !== current.user) {
    current.since = null;
    followAgain(byId('messages'));
    if (place === 'home') send('home', { user });
  }
  if (thread !== current.thread) followAgain(byId('replies'));
  Object.assign(current, { place, thread, user });
  refresh();
}

const messageAt = (ts) => byId('messages').querySelector(`.message[data-ts="${CSS.escape(ts)}"]`);

function awaitAnswer(ts) {
  const message = messageAt(ts);
  awaited = { ts, replies: Number(message?.dataset.replies ?? 0), untilMs: Date.now() + AWAIT_MS };
}

/** A button on the Home tab may be answered in a direct message; then the page goes there. */
let elsewhereUntilMs = 0;
const directNews = () => byId('nav').querySelector('.unread[data-place=direct]') !== null;
function awaitElsewhere() {
  elsewhereUntilMs = directNews() ? 0 : Date.now() + AWAIT_MS;
}

function openAwaited() {
  if (current.place === 'home' && Date.now() < elsewhereUntilMs && directNews()) {
    elsewhereUntilMs = 0;
    go({ place: 'direct' });
  }
  if (!awaited || Date.now() > awaited.untilMs) return;
  const message = messageAt(awaited.ts);
  if (Number(message?.dataset.replies ?? 0) <= awaited.replies) return;
  const { ts } = awaited;
  awaited = null;
  if (current.thread !== ts) go({ thread: ts });
}

async function say(text, thread = '') {
  (thread === '' ? composer : reply).remember(text);
  followAgain(byId(thread === '' ? 'messages' : 'replies'));
  const result = await send('say', { user: current.user, place: current.place, text, thread });
  if (result.thread && thread === '') {
    awaited = { ts: result.thread, replies: 0, untilMs: Date.now() + AWAIT_MS };
    openAwaited();
  }
}

/** Sends an example and moves its chip to the end, behind those not tried yet. */
function tryExample(text) {
  if (current.place === 'home') go({ place: 'direct' });
  if (isNarrow() && !byId('drawer').hidden) openDrawer(false);
  for (const chip of document.querySelectorAll('#strip .chip')) {
    if (chip.dataset.example === text) chip.parentElement.append(chip);
  }
  say(text);
}

function onSubmit(event) {
  const form = event.target;
  if (form.method === 'dialog') return;
  event.preventDefault();
  if (form.matches('.modal')) return submitModal(form);
  if ('night' in form.dataset) return playNight(form.elements.seed.value.trim(), '', true, send);
  const isReply = form.id === 'reply';
  const text = (isReply ? reply : composer).take();
  if (text !== '') say(text, isReply ? current.thread : '');
}

async function submitModal(form) {
  const button = form.querySelector('[type=submit]');
  if (button) button.disabled = true;
  const view = { user: current.user, viewId: form.dataset.view, values: collectChoices(form) };
  const { errors = {} } = await send('submit', view);
  if (button) button.disabled = false;
  for (const input of form.querySelectorAll('[data-input]')) {
    const message = input.querySelector('.complaint');
    message.textContent = errors[input.dataset.input] ?? '';
    message.hidden = message.textContent === '';
  }
}

/** Sends the change of a control, with the values of its neighbors. */
async function press(control, choice) {
  if (!(await confirmed(control.dataset))) return;
  const message = control.closest('.message');
  const view = control.closest('[data-view]');
  const element = {
    actionId: control.dataset.action,
    blockId: control.dataset.block,
    choice,
    state: collectChoices(message ?? view),
  };
  control.toggleAttribute('data-busy', true);
  if (message) {
    const { channel, ts } = message.dataset;
    if (message.closest('#messages')) awaitAnswer(ts);
    await send('press-in-message', { user: current.user, message: { channel, ts }, ...element });
  } else if (view) {
    if (view.matches('.home')) awaitElsewhere();
    await send('press-in-view', { view: { id: view.dataset.view }, ...element });
  }
  control.toggleAttribute('data-busy', false);
  if (control.matches('.overflow')) control.value = '';
}

async function pressInDrawer(button) {
  const before = newestHere();
  button.toggleAttribute('data-busy', true);
  await send('drawer', { button: button.dataset.press, values: valuesAround(button) });
  button.toggleAttribute('data-busy', false);
  await refresh();
  // If the drawer covers the conversation, it closes to show the result; the ending is in the drawer itself.
  if (newestHere() !== before && isNarrow() && !byId('ending')) openDrawer(false);
}

const newestHere = () => [...byId('messages').querySelectorAll('.message')].at(-1)?.dataset.ts;

function onClick(event) {
  const target = event.target.closest('button, a');
  if (!target) return;
  const { place, thread, shortcut, example, action } = target.dataset;
  if (target.dataset.message) {
    event.preventDefault();
    sought = target.dataset.message;
    if (isNarrow() && !byId('drawer').hidden) openDrawer(false);
    go({ place: target.dataset.go });
    showSought();
  } else if (target.matches('.shot')) viewPicture(event, target);
  else if (place) go({ place });
  else if (thread) go({ thread });
  else if (shortcut) {
    const { channel, ts } = target.closest('.message').dataset;
    awaitAnswer(ts);
    send('shortcut', { user: current.user, message: { channel, ts }, callbackId: shortcut });
  } else if ('share' in target.dataset) shareMessage(target.closest('.message'));
  else if (example) tryExample(example);
  else if (target.dataset.press) pressInDrawer(target);
  else if ('connect' in target.dataset) byId('connect').showModal();
  else if (target.dataset.copy) copySummary(target);
  else if ('close' in target.dataset) closeModal();
  else if (target.id === 'thread-close') {
    go({ thread: '' });
    focusBox();
  } else if (target.id === 'skip') byId('messages').focus();
  else if (action) press(target, target.dataset.choice);
}

/** If the page isn't allowed to copy, the text is shown and selected. */
async function copySummary(button) {
  const text = byId(button.dataset.copy);
  if (await copyFrom(text, button)) return;
  text.closest('details').open = true;
  text.select();
}

/** Not on a touch screen, where it would open the keyboard over the messages. */
function focusBox() {
  if (matchMedia('(hover: hover)').matches) byId('box').focus({ preventScroll: true });
}

function closeModal() {
  const view = byId('dialog').querySelector('form')?.dataset.view;
  if (view) send('close', { user: current.user, viewId: view });
}

function onChange(event) {
  const { target } = event;
  if ('person' in target.dataset) return go({ user: target.value });
  const control = target.closest('[data-dispatch]');
  if (!control || control.matches('button, a')) return;
  const choice = readControl(control);
  if (choice !== null && choice !== '') press(control, choice);
}

/** Escape closes what covers the conversation, topmost first. */
function onKey(event) {
  if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  if (!byId('thread').hidden) go({ thread: '' });
  else if (!byId('drawer').hidden && isNarrow()) openDrawer(false);
}

const composer = setUpComposer(byId('box'), byId('suggestions'));
const reply = setUpReply(byId('reply-box'));
setUpBanner();
setUpToast();
setUpDrawer(() => go({ thread: '' }));
setUpShare();
document.addEventListener('submit', onSubmit);
document.addEventListener('click', onClick);
document.addEventListener('change', onChange);
document.addEventListener('keydown', onKey);
document.addEventListener('visibilitychange', refresh);
watchReading(byId('messages'));
watchReading(byId('replies'));
// Images load after their message and push the end of the list down.
document.addEventListener('load', () => follow(byId('messages')), true);
byId('dialog').addEventListener('cancel', (event) => {
  event.preventDefault();
  closeModal();
});
window.addEventListener('hashchange', arrive);

const events = new EventSource('/events');
events.addEventListener('change', refresh);
events.addEventListener('open', refresh);
Object.assign(current, readAddress());
if (current.place === 'home') send('home', { user: current.user });
refresh().then(focusBox);
