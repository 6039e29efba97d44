// The boxes to type in: suggestions while typing a command, and earlier messages with the arrow keys.
import { setUpRecall } from './recall.js';

const MAX_SUGGESTIONS = 9;

export function setUpComposer(box, list) {
  const options = [...list.children];
  const recall = setUpRecall(box);
  let active = -1;

  const visible = () => options.filter((option) => !option.hidden);
  function hide() {
    list.hidden = true;
    active = -1;
    box.setAttribute('aria-expanded', 'false');
    box.removeAttribute('aria-activedescendant');
  }
  function suggest() {
    const typed = box.value.toLowerCase();
    if (!typed.startsWith('/')) return hide();
    // One example per command is enough until a verb is typed.
    const brief = !typed.trimEnd().includes(' ');
    let count = 0;
    for (const option of options) {
      const fits = option.dataset.text.toLowerCase().startsWith(typed) && option.dataset.text.toLowerCase() !== typed;
      option.hidden = !fits || (brief && !('first' in option.dataset)) || count >= (brief ? 20 : MAX_SUGGESTIONS);
      if (!option.hidden) count += 1;
    }
    list.hidden = count === 0;
    box.setAttribute('aria-expanded', String(count > 0));
    mark(-1);
  }
  function mark(index) {
    active = index;
    visible().forEach((option, at) => {
      option.setAttribute('aria-selected', String(at === index));
      if (at === index) option.scrollIntoView({ block: 'nearest' });
    });
    const chosen = visible()[index];
    if (chosen) box.setAttribute('aria-activedescendant', chosen.id);
    else box.removeAttribute('aria-activedescendant');
  }
  function take(option) {
    box.value = option.dataset.text;
    hide();
    box.focus();
  }

  box.addEventListener('input', suggest);
  box.addEventListener('blur', hide);
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    const option = event.target.closest('[role=option]');
    if (option) take(option);
  });
  box.addEventListener('keydown', (event) => {
    const open = !list.hidden;
    const count = visible().length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && open) mark((active + step + count + (active < 0 && step < 0 ? 1 : 0)) % count);
    else if (recall.handles(event)) hide();
    else if ((event.key === 'Enter' || event.key === 'Tab') && open && active >= 0) take(visible()[active]);
    else if (event.key === 'Escape' && open) hide();
    else return;
    event.preventDefault();
  });
  return {
    remember: recall.remember,
    /** Empties the box and returns its text. */
    take() {
      const text = box.value.trim();
      box.value = '';
      hide();
      return text;
    },
  };
}

export function setUpReply(box) {
  const recall = setUpRecall(box);
  box.addEventListener('keydown', (event) => {
    if (recall.handles(event)) event.preventDefault();
  });
  return {
    remember: recall.remember,
    take() {
      const text = box.value.trim();
      box.value = '';
      return text;
    },
  };
}
