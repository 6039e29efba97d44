/** Empty digests and watches, for agents: they ask outside of channels. */
import { BotError } from '../errors.ts';
import type { Digests } from './digest/digest-commands.ts';
import type { Watches } from './watch/watch-commands.ts';

const refuse = async (): Promise<never> => {
  throw new BotError('not_found', 'There is nothing of the kind here.');
};

/** What a digest and a watch have in common. */
const NOTHING = {
  create: refuse,
  edit: refuse,
  values: refuse,
  list: refuse,
  listOwned: refuse,
  pause: refuse,
  resume: refuse,
  remove: refuse,
  history: refuse,
  preview: refuse,
};

export const NO_DIGESTS: Digests = { ...NOTHING, runNow: refuse };

export const NO_WATCHES: Watches = {
  ...NOTHING,
  explained: refuse,
  isOpen: refuse,
  acknowledge: refuse,
  assign: refuse,
  snooze: refuse,
  wake: refuse,
  setSensitivity: refuse,
  setPolicy: refuse,
  answer: refuse,
  handover: async () => ({ open: [], silenced: [], over: [] }),
  holds: { list: async () => [], add: refuse, remove: refuse, end: refuse },
  episodes: async () => [],
};
