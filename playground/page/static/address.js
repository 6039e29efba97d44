// The address holds the place, so that reload, back and a second window work: #/oncall/<thread>?as=<person>

export function readAddress() {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [place = '', thread = ''] = path.split('/').map(decodeURIComponent);
  return { place, thread, user: new URLSearchParams(query).get('as') ?? '' };
}

export function writeAddress({ place, thread, user }) {
  const path = [place, thread].filter((part) => part !== '').map(encodeURIComponent);
  return `#/${path.join('/')}${user === '' ? '' : `?as=${encodeURIComponent(user)}`}`;
}

/** Identifies this browser window, also after a reload. */
export function clientName() {
  const known = sessionStorage.getItem('client') ?? crypto.randomUUID();
  sessionStorage.setItem('client', known);
  return known;
}
