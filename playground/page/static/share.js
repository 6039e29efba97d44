// The dialog that shows a message as a picture, in light and dark, to download or to copy.
import { CannotDraw, pictureOf } from './picture.js';

const byId = (id) => document.getElementById(id);
let message = null;
let picture = null;

const theme = () => byId('share').querySelector('[name=theme]:checked').value;

export function setUpShare() {
  byId('share').addEventListener('change', draw);
  byId('share-copy').addEventListener('click', copy);
}

export function shareMessage(chosen) {
  message = chosen;
  const current = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  byId('share').querySelector(`[name=theme][value=${current}]`).checked = true;
  byId('share').showModal();
  draw();
}

async function draw() {
  const [drawn, wanted] = [message, theme()];
  show(null, 'Drawing…');
  try {
    const made = await pictureOf(drawn, { theme: wanted });
    // Another theme may have been chosen in the meantime.
    if (message === drawn && theme() === wanted) show({ ...made, theme: wanted }, describe(made));
  } catch (error) {
    show(null, error instanceof CannotDraw ? error.message : 'Can’t reach the playground. Is it still running?');
  }
}

const describe = ({ width, height, blob }) =>
  `${width * 2} × ${height * 2} pixels, ${Math.ceil(blob.size / 1024).toLocaleString('en')} KB`;

function show(made, status) {
  if (picture) URL.revokeObjectURL(picture.url);
  picture = made && { ...made, url: URL.createObjectURL(made.blob) };
  byId('share-status').textContent = status;
  byId('share-picture').hidden = made === null;
  byId('share-copy').hidden = made === null;
  byId('share-download').hidden = made === null;
  if (!made) return;
  Object.assign(byId('share-picture'), { src: picture.url, width: made.width, height: made.height });
  const name = message.querySelector('header b').textContent;
  const at = message.querySelector('time').dateTime.slice(0, 16).replaceAll(':', '');
  Object.assign(byId('share-download'), { href: picture.url, download: `${name}-${at}-${made.theme}.png` });
}

async function copy() {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture.blob })]);
    byId('share-status').textContent = 'Copied.';
  } catch {
    byId('share-status').textContent = 'This browser doesn’t let the page copy a picture. Download it instead.';
  }
}
