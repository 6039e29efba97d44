// Shows a picture of a message over the page, larger than in the message. On a phone it can be panned.

const byId = (id) => document.getElementById(id);
/** Charts are drawn with two pixels for each one of the page. */
const PIXEL_RATIO = 2;
const MARGIN = 64;

/** With a key held, the browser opens the link as it always does. */
export function viewPicture(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const small = link.querySelector('img');
  const picture = byId('viewer-picture');
  picture.src = link.href;
  picture.alt = small.alt;
  const pixels = Number(small.getAttribute('width')) || small.naturalWidth;
  picture.width = Math.max(pixels / PIXEL_RATIO, Math.min(pixels, innerWidth - MARGIN));
  byId('viewer-link').href = link.href;
  byId('viewer').showModal();
  byId('viewer-body').scrollTo(0, 0);
}
