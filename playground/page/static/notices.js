// Notices, confirmations and the banner.

const byId = (id) => document.getElementById(id);

/** Any press on the page hides the notice. */
export function setUpToast() {
  document.addEventListener('pointerdown', () => byId('toast').hidePopover());
}

let timer;
export function toast(text) {
  const place = byId('toast');
  place.textContent = text;
  // Hidden and shown again so that it's above an open modal.
  place.hidePopover();
  place.showPopover();
  clearTimeout(timer);
  timer = setTimeout(() => place.hidePopover(), 6000);
}

/** Asks for confirmation as Slack does, if the control has one; resolves with whether to go ahead. */
export function confirmed({ confirm, confirmTitle, confirmYes, confirmNo, confirmStyle }) {
  if (!confirm) return Promise.resolve(true);
  byId('question-title').textContent = confirmTitle || 'Are you sure?';
  byId('question-text').textContent = confirm;
  byId('question-yes').textContent = confirmYes || 'Yes';
  byId('question-yes').className = `button ${confirmStyle === 'danger' ? 'danger' : 'primary'}`;
  byId('question-no').textContent = confirmNo || 'Cancel';
  const dialog = byId('question');
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

export function setUpBanner() {
  const banner = byId('banner');
  if (!banner) return;
  banner.hidden = sessionStorage.getItem('banner') === 'closed';
  byId('banner-close').addEventListener('click', () => {
    banner.hidden = true;
    sessionStorage.setItem('banner', 'closed');
    byId('box').focus();
  });
  byId('banner-open').addEventListener('click', () => byId('connect').showModal());
  byId('copy').addEventListener('click', ({ currentTarget }) => copyFrom(byId('copy-text'), currentTarget));
}

/** Copies the text of a field and says so on the button; resolves with whether the browser lets it. */
export async function copyFrom(field, button) {
  const isCopied = await navigator.clipboard.writeText(field.value).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C to copy';
  if (!isCopied) field.select();
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 3000);
  return isCopied;
}
