// Fetches the screen, replaces only the fragments that changed, and sends what the person does.
import { collectChoices, readControl, restoreChoices } from './controls.js';
import { enhanceDataTables } from './data-table.js';

const byId = (id) => document.getElementById(id);
const current = { user: '', place: '', thread: '' };
/** The markup of each fragment, to tell whether it changed. */
const shown = new Map();

async function send(action, body) {
  try {
    const response = await fetch(`/actions/${action}`, {
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
  // Hidden and shown again so that it is above an open modal.
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

/** Shows the fragments in order, and replaces only those whose markup changed. */
function replaceFragments(container, fragments) {
  const old = new Map([...container.children].map((child) => [child.dataset.key, child]));
  fragments.forEach((fragment, index) => {
    let element = old.get(fragment.key);
    old.delete(fragment.key);
    const name = `${container.id}/${fragment.key}`;
    if (!element || shown.get(name) !== fragment.html) {
      const fresh = document.createElement('div');
      fresh.dataset.key = fragment.key;
      fresh.innerHTML = fragment.html;
      enhanceDataTables(fresh);
      if (element) element.replaceWith(fresh);
      element = fresh;
      shown.set(name, fragment.html);
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
    // Keep what was typed when the same view is rendered again.
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
    const response = await fetch(`/screen?${new URLSearchParams(current)}`);
    show(await response.json());
  } catch {
    toast('The playground does not answer. Is it still running?');
  }
  loading = false;
  if (again) {
    again = false;
    refresh();
  }
}

function show(screen) {
  current.user = screen.user;
  current.place = screen.place;
  const nav = byId('nav');
  if (shown.get('nav') !== screen.nav) {
    nav.innerHTML = screen.nav;
    shown.set('nav', screen.nav);
  }
  byId('title').textContent = screen.title;
  byId('note').textContent = screen.note;
  byId('box').placeholder = screen.placeholder;
  byId('composer').hidden = screen.place === 'home';
  replaceFragments(byId('messages'), screen.fragments);
  byId('thread').hidden = screen.thread === null;
  replaceFragments(byId('replies'), screen.thread ?? []);
  showModal(screen.modal);
}

function go(change) {
  following = true;
  Object.assign(current, { thread: '' }, change);
  if (current.place === 'home') send('home', { user: current.user });
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
  const thread = form.id === 'reply' ? current.thread : '';
  send('say', { user: current.user, place: current.place, text, thread });
}

async function submitModal(form) {
  const button = form.querySelector('[type=submit]');
  if (button) button.disabled = true;
  const { errors = {} } = await send('submit', {
    user: current.user,
    viewId: form.dataset.view,
    values: collectChoices(form),
  });
  if (button) button.disabled = false;
  for (const input of form.querySelectorAll('[data-input]')) {
    const message = input.querySelector('.complaint');
    message.textContent = errors[input.dataset.input] ?? '';
    message.hidden = message.textContent === '';
  }
}

/** Sends the change of one control, with the values of the others around it. */
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
    await send('press-in-message', { user: current.user, message: { channel, ts }, ...element });
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
    current.thread = thread;
    refresh().then(() => byId('reply-box').focus());
  } else if (shortcut) {
    const { channel, ts } = target.closest('.message').dataset;
    send('shortcut', { user: current.user, message: { channel, ts }, callbackId: shortcut });
  } else if (example) {
    byId('box').value = example;
    byId('box').focus();
  } else if ('close' in target.dataset) closeModal();
  else if (target.id === 'thread-close') {
    current.thread = '';
    refresh();
  } else if (action) press(target, target.dataset.choice);
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

document.addEventListener('submit', onSubmit);
document.addEventListener('click', onClick);
document.addEventListener('change', onChange);
for (const kind of ['wheel', 'touchmove', 'keyup']) {
  byId('messages').addEventListener(kind, ({ currentTarget: list }) => {
    following = list.scrollHeight - list.scrollTop - list.clientHeight < 120;
  });
}
// Pictures load after their message and push the end of the list down.
document.addEventListener('load', () => follow(byId('messages')), true);
byId('dialog').addEventListener('cancel', (event) => {
  event.preventDefault();
  closeModal();
});

const events = new EventSource('/events');
events.addEventListener('change', refresh);
events.addEventListener('open', refresh);
refresh().then(() => byId('box').focus({ preventScroll: true }));
