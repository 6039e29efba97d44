// Shows a picture of a message at its full size over the page. On a phone one pans over it.

const byId = (id) => document.getElementById(id);
/** Charts have two pixels for each one of the page. */
const PIXEL_RATIO = 2;

/** With a key held, the browser opens the link as it always does. */
export function viewPicture(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const small = link.querySelector('img');
  const picture = byId('viewer-picture');
  picture.src = link.href;
  picture.alt = small.alt;
  picture.width = Math.round((Number(small.getAttribute('width')) || small.naturalWidth) / PIXEL_RATIO);
  byId('viewer-link').href = link.href;
  byId('viewer').showModal();
  byId('viewer-body').scrollTo(0, 0);
}
