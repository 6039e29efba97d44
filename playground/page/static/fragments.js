// Replaces only the parts of a list whose markup changed, and scrolls to its newest entry.
import { enhanceDataTables } from './data-table.js';

/** The markup of each fragment, to tell whether it changed. */
const shown = new Map();
/** Lists that don't scroll by themselves, because the person is reading further up. */
const readingAbove = new Set();

export function changed(name, markup) {
  if (shown.get(name) === markup) return false;
  shown.set(name, markup);
  return true;
}

export const forget = (name) => shown.delete(name);

export function replaceFragments(container, fragments) {
  const old = new Map([...container.children].map((child) => [child.dataset.key, child]));
  fragments.forEach((fragment, index) => {
    let element = old.get(fragment.key);
    old.delete(fragment.key);
    if (changed(`${container.id}/${fragment.key}`, fragment.html) || !element) {
      const fresh = document.createElement('div');
      fresh.dataset.key = fragment.key;
      fresh.innerHTML = fragment.html;
      enhanceDataTables(fresh);
      if (element) takeOver(element, fresh);
      element = fresh;
    }
    if (container.children[index] !== element) container.insertBefore(element, container.children[index] ?? null);
  });
  for (const [key, gone] of old) {
    gone.remove();
    forget(`${container.id}/${key}`);
  }
}

/** Replaces an element, keeping the choices made in it and the focus. */
function takeOver(old, fresh) {
  for (const select of old.querySelectorAll('select[id]')) {
    const same = fresh.querySelector(`#${CSS.escape(select.id)}`);
    if (same) same.value = select.value;
  }
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const index = controlsIn(old).indexOf(focused);
  old.replaceWith(fresh);
  if (focused) focusLike(focused, index, fresh);
  fresh.querySelector('.message')?.classList.add('updated');
}

const controlsIn = (element) => [...element.querySelectorAll('button, a[href], select, input, textarea')];

/** If a control is gone, as buttons often are once pressed, the focus moves to the one in its place. */
function focusLike(focused, index, fresh) {
  const handle = handleOf(focused);
  const controls = controlsIn(fresh);
  const same = handle && fresh.querySelector(handle);
  const next = same ?? controls[Math.min(index, controls.length - 1)] ?? fresh.firstElementChild;
  if (!next) return;
  if (controls.length === 0) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

function handleOf({ id, dataset }) {
  if (id) return `#${CSS.escape(id)}`;
  const [name, value] =
    Object.entries(dataset).find(([key]) => ['press', 'action', 'thread', 'example'].includes(key)) ?? [];
  return name ? `[data-${name}="${CSS.escape(value)}"]` : null;
}

/** Scrolls to the newest entry, unless the person is reading further up. */
export function follow(container) {
  const last = container.lastElementChild;
  if (readingAbove.has(container) || !last) return;
  // An answer taller than the window starts at its first line.
  container.scrollTop =
    last.offsetHeight > container.clientHeight ? last.offsetTop - container.offsetTop : container.scrollHeight;
}

export const stopFollowing = (container) => readingAbove.add(container);
export const followAgain = (container) => readingAbove.delete(container);

export function watchReading(container) {
  for (const kind of ['wheel', 'touchmove', 'keyup']) {
    container.addEventListener(kind, () => {
      const below = container.scrollHeight - container.scrollTop - container.clientHeight;
      if (below < 120) readingAbove.delete(container);
      else readingAbove.add(container);
    });
  }
}
