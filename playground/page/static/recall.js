// Brings back what was sent before with the arrow keys, also after a reload. Each box remembers its own.

const MAX_REMEMBERED = 50;

export function setUpRecall(box) {
  const store = `sent in ${box.id}`;
  const sent = JSON.parse(sessionStorage.getItem(store) ?? '[]');
  let at = sent.length;
  return {
    remember(text) {
      if (sent.at(-1) !== text) sent.push(text);
      if (sent.length > MAX_REMEMBERED) sent.shift();
      at = sent.length;
      sessionStorage.setItem(store, JSON.stringify(sent));
    },
    /** Whether the key was for this: not while something else is being typed. */
    handles({ key }) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (!step || sent.length === 0 || (box.value !== '' && box.value !== sent[at])) return false;
      at = Math.min(sent.length, Math.max(0, at + step));
      box.value = sent[at] ?? '';
      box.setSelectionRange(box.value.length, box.value.length);
      return true;
    },
  };
}
