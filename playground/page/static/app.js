// Fetches what there is to see, exchanges only the pieces that changed, and sends what the person does.
import { collectChoices, readControl, restoreChoices } from './controls.js';
import { enhanceDataTables } from './data-table.js';

const byId = (id) => document.getElementById(id);
const seat = { user: '', place: '', thread: '' };
/** The markup each piece had, to see whether it changed. */
const shown = new Map();

async function send(deed, body) {
  try {
    const response = await fetch(`/do/${deed}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const result = await response.json();
    if (result.error) toast(result.error);
    return result;
  } catch {
    toast('The playground does not answer. Is it still running?');
    return { error: 'unreachable' };
  }
}

let toastTimer;
function toast(text) {
  const place = byId('toast');
  place.textContent = text;
  // Shown anew each time, so that it lies over an open modal too.
  place.hidePopover();
  place.showPopover();
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => place.hidePopover(), 6000);
}

/** Whether the newest message is followed; not while the person reads further up. */
let following = true;
function follow(container) {
  const last = container.lastElementChild;
  if (!following || !last) return;
  // An answer taller than the window is shown from its first line.
  container.scrollTop =
    last.offsetHeight > container.clientHeight ? last.offsetTop - container.offsetTop : container.scrollHeight;
}

/** Puts pieces in order, making anew only those whose markup changed. */
function exchange(container, pieces) {
  const old = new Map([...container.children].map((child) => [child.dataset.key, child]));
  pieces.forEach((piece, index) => {
    let element = old.get(piece.key);
    old.delete(piece.key);
    const name = `${container.id}/${piece.key}`;
    if (!element || shown.get(name) !== piece.html) {
      const fresh = document.createElement('div');
      fresh.dataset.key = piece.key;
      fresh.innerHTML = piece.html;
      enhanceDataTables(fresh);
      if (element) element.replaceWith(fresh);
      element = fresh;
      shown.set(name, piece.html);
    }
    if (container.children[index] !== element) container.insertBefore(element, container.children[index] ?? null);
  });
  for (const [key, gone] of old) {
    gone.remove();
    shown.delete(`${container.id}/${key}`);
  }
  follow(container);
}

function showModal(modal) {
  const dialog = byId('dialog');
  if (!modal) {
    if (dialog.open) dialog.close();
    shown.delete('dialog');
    return;
  }
  const name = `${modal.key}/${modal.html}`;
  if (shown.get('dialog') !== name) {
    // What was typed survives when the same view is shown anew.
    const same = dialog.querySelector('form')?.dataset.view === modal.key;
    const kept = same ? collectChoices(dialog) : {};
    dialog.innerHTML = modal.html;
    restoreChoices(dialog, kept);
    shown.set('dialog', name);
  }
  if (!dialog.open) dialog.showModal();
  if (!dialog.contains(document.activeElement) || document.activeElement.matches('[data-close]')) {
    dialog.querySelector('.modal-body :is(input, select, textarea)')?.focus();
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
  try {
    const response = await fetch(`/panel?${new URLSearchParams(seat)}`);
    const panel = await response.json();
    show(panel);
  } catch {
    toast('The playground does not answer. Is it still running?');
  }
  loading = false;
  if (again) {
    again = false;
    refresh();
  }
}

function show(panel) {
  seat.user = panel.user;
  seat.place = panel.place;
  const nav = byId('nav');
  if (shown.get('nav') !== panel.nav) {
    nav.innerHTML = panel.nav;
    shown.set('nav', panel.nav);
  }
  byId('title').textContent = panel.title;
  byId('note').textContent = panel.note;
  byId('box').placeholder = panel.placeholder;
  byId('composer').hidden = panel.place === 'home';
  exchange(byId('messages'), panel.pieces);
  byId('thread').hidden = panel.thread === null;
  exchange(byId('replies'), panel.thread ?? []);
  showModal(panel.modal);
}

function go(change) {
  following = true;
  Object.assign(seat, { thread: '' }, change);
  if (seat.place === 'home') send('home', { user: seat.user });
  refresh();
}

function onSubmit(event) {
  event.preventDefault();
  const form = event.target;
  if (form.matches('.modal')) return submitModal(form);
  const box = form.querySelector('input');
  const text = box.value.trim();
  if (text === '') return;
  box.value = '';
  following = true;
  const thread = form.id === 'reply' ? seat.thread : '';
  send('say', { user: seat.user, place: seat.place, text, thread });
}

async function submitModal(form) {
  const button = form.querySelector('[type=submit]');
  if (button) button.disabled = true;
  const { errors = {} } = await send('submit', {
    user: seat.user,
    viewId: form.dataset.view,
    values: collectChoices(form),
  });
  if (button) button.disabled = false;
  for (const input of form.querySelectorAll('[data-input]')) {
    const complaint = input.querySelector('.complaint');
    complaint.textContent = errors[input.dataset.input] ?? '';
    complaint.hidden = complaint.textContent === '';
  }
}

/** Tells the app what was done to one control, with all that stands around it. */
async function press(control, choice) {
  if (control.dataset.confirm && !window.confirm(control.dataset.confirm)) return;
  const message = control.closest('.message');
  const view = control.closest('[data-view]');
  const scope = message ?? view;
  const element = {
    actionId: control.dataset.action,
    blockId: control.dataset.block,
    choice,
    state: collectChoices(scope),
  };
  control.toggleAttribute('data-busy', true);
  if (message) {
    const { channel, ts } = message.dataset;
    await send('press-in-message', { user: seat.user, message: { channel, ts }, ...element });
  } else if (view) {
    await send('press-in-view', { view: { id: view.dataset.view }, ...element });
  }
  control.toggleAttribute('data-busy', false);
  if (control.matches('.overflow')) control.value = '';
}

function onClick(event) {
  const target = event.target.closest('button, a');
  if (!target) return;
  const { place, thread, shortcut, example, action } = target.dataset;
  if (place) go({ place });
  else if (thread) {
    seat.thread = thread;
    refresh().then(() => byId('reply-box').focus());
  } else if (shortcut) {
    const { channel, ts } = target.closest('.message').dataset;
    send('shortcut', { user: seat.user, message: { channel, ts }, callbackId: shortcut });
  } else if (example) {
    byId('box').value = example;
    byId('box').focus();
  } else if ('close' in target.dataset) closeModal();
  else if (target.id === 'thread-close') {
    seat.thread = '';
    refresh();
  } else if (action) press(target, target.dataset.choice);
}

function closeModal() {
  const view = byId('dialog').querySelector('form')?.dataset.view;
  if (view) send('close', { user: seat.user, viewId: view });
}

function onChange(event) {
  const { target } = event;
  if ('person' in target.dataset) return go({ user: target.value });
  const control = target.closest('[data-dispatch]');
  if (!control || control.matches('button, a')) return;
  const choice = readControl(control);
  if (choice !== null && choice !== '') press(control, choice);
}

document.addEventListener('submit', onSubmit);
document.addEventListener('click', onClick);
document.addEventListener('change', onChange);
for (const kind of ['wheel', 'touchmove', 'keyup']) {
  byId('messages').addEventListener(kind, ({ currentTarget: list }) => {
    following = list.scrollHeight - list.scrollTop - list.clientHeight < 120;
  });
}
// Pictures arrive after their message and move what was at the end.
document.addEventListener('load', () => follow(byId('messages')), true);
byId('dialog').addEventListener('cancel', (event) => {
  event.preventDefault();
  closeModal();
});

const events = new EventSource('/events');
events.addEventListener('change', refresh);
events.addEventListener('open', refresh);
refresh().then(() => byId('box').focus({ preventScroll: true }));
