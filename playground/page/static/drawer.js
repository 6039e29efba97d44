// The drawer next to the conversation: opening and closing, its panels, and the workspace's clock.
import { changed, replaceFragments } from './fragments.js';
import { toast } from './notices.js';

const byId = (id) => document.getElementById(id);
const WIDE = matchMedia('(min-width: 1100px)');
const PHONE = matchMedia('(max-width: 720px)');

const isOpen = () => (sessionStorage.getItem('drawer') ?? (WIDE.matches ? 'open' : 'closed')) === 'open';
let available = false;

function place() {
  const open = available && isOpen();
  byId('drawer').hidden = !open;
  byId('drawer-toggle').setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('with-drawer', open);
}

export function openDrawer(open) {
  sessionStorage.setItem('drawer', open ? 'open' : 'closed');
  place();
  if (open && !WIDE.matches) byId('drawer-close').focus();
  if (!open) byId('drawer-toggle').focus();
}

/** A thread may cover the drawer; opening the drawer then closes the thread. */
export function setUpDrawer(closeThread) {
  const isVisible = () => byId('drawer').checkVisibility();
  byId('drawer-toggle').addEventListener('click', () => {
    const wanted = !isVisible();
    openDrawer(wanted);
    if (wanted && !isVisible()) closeThread();
  });
  byId('drawer-close').addEventListener('click', () => openDrawer(false));
  setInterval(showClock, 1000);
}

export function showDrawer(drawer) {
  available = drawer !== null;
  byId('drawer-toggle').hidden = !available;
  place();
  if (!available) return;
  byId('drawer-done').textContent = drawer.done;
  byId('drawer-toggle').classList.toggle('primary', !drawer.begun && byId('drawer').hidden);
  celebrate(drawer.ended);
  document.body.classList.toggle('moving', drawer.moving);
  if (changed('announcement', drawer.announcement)) byId('announcement').textContent = drawer.announcement;
  replaceFragments(byId('panels'), drawer.panels);
  replaceFragments(byId('calls'), drawer.calls);
}

let ended = null;
/** A drawer that covers the conversation opens for the ending; next to the conversation, a notice is enough. */
function celebrate(isEnded) {
  if (isEnded && ended === false) {
    if (!WIDE.matches) openDrawer(true);
    byId('drawer-body').scrollTo(0, 0);
    if (byId('drawer').hidden) toast('All missions done. “Try it” has a summary and what is next.');
  }
  ended = isEnded;
}

/** The values chosen in the button's panel. */
export function valuesAround(button) {
  const selects = button.closest('.panel')?.querySelectorAll('select') ?? [];
  return Object.fromEntries([...selects].map((select) => [select.name, select.value]));
}

let ahead = 0;
let format;
export function setClock(nowMs, zone) {
  ahead = nowMs - Date.now();
  if (changed('zone', zone)) {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone };
    const date = PHONE.matches ? {} : { day: 'numeric', month: 'short' };
    format = new Intl.DateTimeFormat('en-GB', { ...parts, ...date });
  }
  showClock();
}

/** Counts down everything that lasts until a time, and removes it when that has come. */
function showLeft() {
  for (const left of document.querySelectorAll('[data-until]')) {
    const seconds = Math.ceil((Number(left.dataset.until) - Date.now() - ahead) / 1000);
    if (seconds > 0) left.textContent = `${seconds} s`;
    else left.closest('.status').remove();
  }
}

function showClock() {
  showLeft();
  if (!format) return;
  const now = new Date(Date.now() + ahead);
  byId('clock').dateTime = now.toISOString();
  byId('clock').textContent = format.format(now);
}
