import { describe, expect, it } from 'vitest';
import { createCommands } from '../../../src/commands/index.ts';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { createLastVerdicts } from '../../../src/episodes/last-verdicts.ts';
import { BotError } from '../../../src/errors.ts';
import { assertAllowed, assertMayAsk, type Policy } from '../../../src/projects/permissions.ts';
import { onlyProject } from '../../../src/projects/project.ts';
import type { KeyValueStore } from '../../../src/store/create-store.ts';
import type { Digests } from '../../../src/subscriptions/digest/digest-commands.ts';
import type { SubscriptionSummary } from '../../../src/subscriptions/subscription-summary.ts';
import type { Watches } from '../../../src/subscriptions/watch/watch-commands.ts';
import { episodeLog } from '../../support/episodes.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const TABLE = COMMANDS.all;
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

/** Every entry of the command table and every word for it, with who may say it where there are admins. */
const MAY: readonly (readonly [sentence: string, who: 'everyone' | 'admins'])[] = [
  ...TABLE.filter(({ subCommands }) => subCommands === undefined).flatMap(({ verb, aliases }) =>
    [verb, ...aliases].map((word) => [word, 'everyone'] as const),
  ),
  ['digest', 'everyone'],
  ['digests', 'everyone'],
  ['digest list', 'everyone'],
  ['digest preview 1', 'everyone'],
  ['digest history', 'everyone'],
  ['digest daily at 09:00', 'admins'],
  ['digests daily at 09:00', 'admins'],
  ['digest in Europe/Berlin, daily at 09:00', 'admins'],
  ['digest new', 'admins'],
  ['digest edit 1 weekdays 8:30', 'admins'],
  ['digest change 1', 'admins'],
  ['digest pause', 'admins'],
  ['digest stop 1', 'admins'],
  ['digest resume', 'admins'],
  ['digest start', 'admins'],
  ['digest continue', 'admins'],
  ['digest remove', 'admins'],
  ['digest delete', 'admins'],
  ['digest rm', 'admins'],
  ['digest run now', 'admins'],
  ['watch', 'admins'],
  ['watch on shop', 'admins'],
  ['watch attacks over 500 per 15m', 'admins'],
  ['watches attacks over 500 per 15m', 'admins'],
  ['watches', 'everyone'],
  ['watch list', 'everyone'],
  ['watch edit 1 quiet', 'admins'],
  ['watch change 1', 'admins'],
  ['watch pause', 'admins'],
  ['watch stop', 'admins'],
  ['watches pause 1', 'admins'],
  ['watch resume', 'admins'],
  ['watch start', 'admins'],
  ['watch continue', 'admins'],
  ['watch remove', 'admins'],
  ['watch delete', 'admins'],
  ['watch rm', 'admins'],
  ['watch ack', 'everyone'],
  ['watch acknowledge', 'everyone'],
  ['ack', 'everyone'],
  ['ack 1', 'everyone'],
  ['watch mention @oncall on surge', 'admins'],
  ['watch escalate after 10m to @lead', 'admins'],
  ['watch escalation never', 'admins'],
  ['watch assign @diego', 'everyone'],
  ['watch reassign @diego', 'everyone'],
  ['watch mentions nobody', 'admins'],
  ['watch snooze 2h', 'everyone'],
  ['snooze', 'everyone'],
  ['snooze 2h', 'everyone'],
  ['watch wake', 'everyone'],
  ['watch unsnooze', 'everyone'],
  ['watch preview', 'everyone'],
  ['watch replay', 'everyone'],
  ['watch quiet', 'admins'],
  ['watch sensitive 1', 'admins'],
  ['watch expected', 'everyone'],
  ['watch earlier', 'everyone'],
  ['watch undo', 'everyone'],
  ['maintenance', 'everyone'],
  // A question.
  ['quiet', 'everyone'],
  ['quiet hours', 'everyone'],
  ['quiet list', 'everyone'],
  ['quiet hours weekdays 22:00-06:00', 'admins'],
  ['quiet weekdays 22:00-06:00', 'admins'],
  ['maintenance list', 'everyone'],
  ['maintenance now for 2h', 'admins'],
  ['maintenance end', 'admins'],
  ['maintenance stop', 'admins'],
  ['maintenance over', 'admins'],
  ['maintenance remove 1', 'admins'],
  ['maintenance delete 1', 'admins'],
  ['maintenance rm 1', 'admins'],
  ['runbook', 'everyone'],
  ['runbooks', 'everyone'],
  ['runbook list', 'everyone'],
  ['runbook sqli https://wiki.example.org/sqli', 'admins'],
  ['runbook remove sqli', 'admins'],
  ['runbook delete sqli', 'admins'],
  ['runbook rm sqli', 'admins'],
  ['pager', 'everyone'],
  ['pagers', 'everyone'],
  ['pager list', 'everyone'],
  ['pager status', 'everyone'],
  ['pager test', 'admins'],
  ['pager retry', 'admins'],
  ['pager resend', 'admins'],
  ['pager drop', 'admins'],
  ['pager discard', 'admins'],
  ['ignore', 'everyone'],
  ['ignored', 'everyone'],
  ['ignore list', 'everyone'],
  ['ignore sqli', 'admins'],
  ['ignored sqli until friday', 'admins'],
  ['ignore remove sqli', 'admins'],
  ['ignore delete sqli', 'admins'],
  ['ignore stop sqli', 'admins'],
  ['hosts', 'everyone'],
  ['host', 'everyone'],
  ['hosts list', 'everyone'],
  [`hosts add blog ${ID}`, 'admins'],
  ['hosts remove shop', 'admins'],
  ['hosts delete shop', 'admins'],
  ['hosts rm shop', 'admins'],
  ['hosts frobnicate', 'admins'],
  ['settings', 'everyone'],
  ['setting', 'everyone'],
  ['config', 'everyone'],
  ['settings list', 'everyone'],
  ['settings zone UTC', 'admins'],
  ['settings hosts shop', 'admins'],
  ['settings host shop', 'admins'],
  ['settings project eu', 'admins'],
  ['settings private', 'admins'],
  ['settings privately', 'admins'],
  ['settings public', 'admins'],
  ['settings publicly', 'admins'],
  ['settings reset', 'admins'],
  ['settings frobnicate', 'admins'],
];

const summary: SubscriptionSummary = {
  id: 'a',
  what: 'something',
  channel: 'C1',
  owner: 'U1',
  zone: 'UTC',
  project: null,
  hosts: [],
  nextRuns: [],
  lastRun: null,
  paused: null,
};

const one = async (): Promise<SubscriptionSummary> => summary;
const subscriptions = {
  create: one,
  edit: one,
  values: async () => ({}),
  list: async () => [summary],
  listOwned: async () => [summary],
  pause: one,
  resume: one,
  remove: one,
  history: async () => [],
};
const digests: Digests = {
  ...subscriptions,
  preview: async () => ({ title: '', headline: [] }),
  runNow: async () => undefined,
};
const watches: Watches = {
  ...subscriptions,
  explained: subscriptions.list,
  isOpen: async () => true,
  acknowledge: async () => ({ by: 'U1', atMs: 0 }),
  assign: async () => ({ by: 'U1', atMs: 0 }),
  snooze: one,
  wake: one,
  setSensitivity: one,
  setPolicy: one,
  answer: async () => ({ title: '' }),
  preview: async () => ({ title: '' }),
  handover: async () => ({ open: [], silenced: [], over: [] }),
  holds: { list: async () => [], add: async () => undefined, remove: async () => {}, end: async () => {} },
  episodes: async () => [],
};

const space = <T>(...entries: (readonly [string, T])[]): KeyValueStore<T> => ({
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => undefined,
  entries: async () => entries,
});

/** Whether the sentence was refused for want of permission; any other failure is none of this test's business. */
async function isForbidden(
  text: string,
  user: string,
  admins: Policy['admins'],
  followed: Partial<Pick<Policy, 'allowedChannels'>> & { readonly before?: string } = {},
): Promise<boolean> {
  const unavailable = async (): Promise<never> => {
    throw new BotError('upstream_unavailable', 'Not here.');
  };
  const statistics = { timeline: unavailable, distribution: unavailable };
  const commands = createCommands({
    projects: onlyProject({
      statistics,
      episodes: episodeLog(statistics, () => NOW),
      hosts: space(['shop', { name: 'shop', id: ID, addedBy: 'U1' }]),
      lastVerdicts: createLastVerdicts(),
    }),
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async (name) => ({ user: 'U2', name }),
    settings: space(),
    digests,
    watches,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    conversations: { last: async () => followed.before ?? null, remember: async () => {} },
    policy: { allowedChannels: followed.allowedChannels ?? null, admins },
    now: () => NOW,
    zone: 'UTC',
    command: '/waf',
  });
  try {
    await commands.answer({ text, user, channel: 'C1', userZone: null, thread: '1.1' });
    return false;
  } catch (error) {
    if (error instanceof BotError) return error.code === 'forbidden';
    throw error;
  }
}

describe('permission to say a sentence', () => {
  it.each(MAY)('%s: %s', async (text, who) => {
    expect(await isForbidden(text, 'U1', ['UA'])).toBe(who === 'admins');
    expect(await isForbidden(text, 'UA', ['UA'])).toBe(false);
    expect(await isForbidden(text, 'U1', null)).toBe(false);
  });

  it('is needed for a follow-up too, in a channel that was closed in the meantime', async () => {
    const before = 'attacks on shop yesterday';
    expect(await isForbidden('why', 'U1', ['UA'], { before, allowedChannels: ['C2'] })).toBe(true);
    expect(await isForbidden('why', 'U1', ['UA'], { before, allowedChannels: ['C1'] })).toBe(false);
  });

  it('is tested for every word of the table', () => {
    const starts = MAY.map(([text]) => text.split(' ').slice(0, 2).join(' '));
    for (const { verb, aliases, subCommands = [] } of TABLE) {
      for (const word of [verb, ...aliases]) expect(starts).toContain(word);
      for (const word of subCommands.flatMap(({ words }) => words)) expect(starts).toContain(`${verb} ${word}`);
    }
  });
});

describe('permission', () => {
  const asker = (user: string, channel: string) => ({ user, channel });
  const policy = { allowedChannels: ['C1'], admins: ['UA', 'UB'] };

  it('is everyone’s where nothing is configured', () => {
    const open = { allowedChannels: null, admins: null };
    expect(() => assertMayAsk(open, asker('U1', 'C9'))).not.toThrow();
    expect(() => assertAllowed('change', open, asker('U1', 'C9'))).not.toThrow();
  });

  it('is by channel to ask and by person to change, and a refusal says who can help', () => {
    expect(() => assertMayAsk(policy, asker('U1', 'C1'))).not.toThrow();
    expect(() => assertMayAsk(policy, asker('UA', 'C9'))).not.toThrow();
    expect(() => assertAllowed('change', policy, asker('UB', 'C1'))).not.toThrow();
    const refused = (call: () => void): unknown => {
      try {
        call();
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const expected = { code: 'forbidden', people: ['UA', 'UB'] };
    expect(refused(() => assertMayAsk(policy, asker('U1', 'C9')))).toMatchObject(expected);
    expect(refused(() => assertAllowed('change', policy, asker('U1', 'C1')))).toMatchObject(expected);
  });
});
