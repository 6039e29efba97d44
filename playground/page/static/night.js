// Plays another night: the one that the address names, or one that was chosen at the end. The page starts over with it.
import { confirmed } from './notices.js';

const byId = (id) => document.getElementById(id);
let shown = null;

/** Called with each screen. A night that differs from the one of the first screen starts the page over. */
export function followNight(night, begun, send) {
  if (!night) return;
  if (shown !== null) {
    if (shown !== night.id && !byId('waiting').open) startOver('/');
    return;
  }
  shown = night.id;
  const asked = new URLSearchParams(location.search);
  const [seed, at] = [asked.get('seed'), asked.get('at') ?? ''];
  if (seed === null || (seed === String(night.seed) && (at === '' || at === night.at))) return;
  playNight(seed, at, begun, send);
}

export async function playNight(seed, at, begun, send) {
  const question = {
    confirm: 'This ends the current night and discards everything you set up in it.',
    confirmTitle: `Play night ${seed}?`,
    confirmYes: 'Play it',
    confirmNo: 'Stay',
  };
  if (begun && !(await confirmed(question))) return stay();
  byId('waiting-title').textContent = `Playing night ${seed}`;
  byId('waiting').showModal();
  const { error } = await send('night', { seed, at });
  if (error) {
    byId('waiting').close();
    return stay();
  }
  const query = new URLSearchParams(at === '' ? { seed } : { seed, at });
  startOver(`/?${query}`);
}

/** Keeps a reload from starting that night again. */
const stay = () => history.replaceState(null, '', `/${location.hash}`);

function startOver(address) {
  // A newcomer's night begins with the conversation, also on a phone.
  sessionStorage.removeItem('drawer');
  history.replaceState(null, '', address);
  location.reload();
}
