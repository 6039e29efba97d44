/**
 * The matrix: every verb and both kinds of digest on every kind of service in the family, and days on which clocks change.
 * Each number in an answer that names requests, attacks or a category is held against the traffic that the local service
 * was made of, for the window that the answer counts and the one it is compared with. What a service can't report may be
 * missing from an answer, but never be another number.
 */
import { describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import { systemClock } from '../../../src/clock.ts';
import { rememberIgnored } from '../../../src/episodes/ignored.ts';
import { BotError } from '../../../src/errors.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { compareLikeWithLike } from '../../../src/statistics/comparison.ts';
import { lastSettledMinute } from '../../../src/statistics/timeline.ts';
import { createDigestReply } from '../../../src/subscriptions/digest/digest-reply.ts';
import { parseRange, type Range } from '../../../src/time/index.ts';
import { disagreements } from '../../support/agreement.ts';
import { casesOf } from '../../support/counts.ts';
import { episodeLog } from '../../support/episodes.ts';
import {
  changeHeldAgainst,
  comparedPart,
  heldAgainst,
  isGone,
  type Kind,
  type Known,
  text,
  truthOf,
  truthsOf,
} from '../../support/ground-truth.ts';
import { openVerdictStage, type VerdictStage } from './verdict-stage.ts';

const SEED = 53;

/** The range of each sentence; the comparison is the verb's own unless the sentence names one. */
interface Question {
  readonly verb: string;
  readonly range: string;
  readonly rest?: string;
  readonly zone?: string;
  /** IDs of the hosts that it names. */
  readonly hosts?: readonly string[];
}

const QUESTIONS: readonly Question[] = [
  { verb: 'timeline', range: 'today' },
  { verb: 'timeline', range: 'last 18h', rest: 'csv' },
  { verb: 'timeline', range: 'yesterday' },
  { verb: 'timeline', range: 'last 30 days' },
  { verb: 'attacks', range: 'today' },
  { verb: 'attacks', range: 'yesterday', rest: 'csv' },
  { verb: 'attacks', range: 'last 7 days' },
  { verb: 'attacks', range: 'last 28 days' },
  { verb: 'attacks', range: 'last month' },
  { verb: 'compare', range: 'yesterday' },
  { verb: 'compare', range: 'last 3h', rest: 'vs previous' },
  { verb: 'compare', range: 'last 20 days', rest: 'vs previous' },
  { verb: 'check', range: 'last 2h' },
  { verb: 'check', range: 'yesterday' },
  { verb: 'incident', range: 'yesterday 14:00-16:00' },
  { verb: 'who', range: 'yesterday' },
  { verb: 'which-host', range: 'last 2h' },
  { verb: 'which-host', range: 'yesterday' },
];

/** Days with a clock change, each asked about at noon of the next day. */
const CLOCK_CHANGES = [
  { zone: 'Australia/Lord_Howe', day: '2026-10-04', hours: 23.5 },
  { zone: 'Europe/Berlin', day: '2026-10-25', hours: 25 },
  { zone: 'America/New_York', day: '2026-11-01', hours: 25 },
] as const;
const ON_A_CHANGE: readonly Question[] = [
  { verb: 'timeline', range: 'yesterday', rest: 'csv' },
  { verb: 'attacks', range: 'yesterday' },
  { verb: 'compare', range: 'yesterday' },
  { verb: 'timeline', range: 'yesterday 00:00-06:00' },
];
/** Those that cut time differently. */
const ZONED: readonly string[] = [
  'events',
  'overviews, points labeled by their end',
  'qps as counts',
  'fixed windows',
] satisfies (keyof typeof SERVICE_KINDS)[];

/** Those that know least, or that once were wrong: all that `npm test` has time for. */
const FEW: readonly string[] = [
  'events',
  'overviews, points labeled by their end',
  'fixed windows',
  'categories by recent only',
  'overviews kept for 30 days, zeros before',
  'missing points and unknown categories',
] satisfies (keyof typeof SERVICE_KINDS)[];
const KINDS = casesOf(Object.entries(SERVICE_KINDS) as [string, Kind][], ([name]) => FEW.includes(name));

function questionsFor(name: string, { habits, hosts = [] }: Kind): readonly Question[] {
  const named = (range: string, ...sites: typeof hosts): Question => {
    const names = [...new Set(sites.map((site) => `${site.name}.example.org`))];
    return { verb: 'timeline', range, rest: `on ${names.join(', ')}`, hosts: sites.map(({ id }) => id) };
  };
  if (hosts.length > 100) {
    const [some, others, last] = [hosts.slice(7, 9), hosts.slice(900, 904), hosts.slice(-1)];
    return [...QUESTIONS, named('today', ...some), named('yesterday', ...others), named('last 18h', ...last)];
  }
  const all =
    name === 'one name in both host lists' ? [...QUESTIONS, named('yesterday', ...hosts.slice(0, 2))] : QUESTIONS;
  if (habits?.missingEvery === undefined) return all;
  // Points are left out minute by minute, which longer intervals would hide, and `who` then has no total.
  return all.filter(({ verb, range }) => verb !== 'who' && !/days|month/.test(range));
}

let cells = 0;
let digests = 0;
let numbers = 0;
let changes = 0;
let parts = 0;

/** What was found wrong; every check adds to the counts above. */
function note(what: string, ...found: readonly { readonly wrong: readonly string[]; readonly checked: number }[]) {
  return found.flatMap(({ wrong, checked }) => {
    numbers += checked;
    return wrong.map((each) => `${what}: ${each}`);
  });
}

/** A service may lack something: then the answer says what works instead. */
function unlessLimited(error: unknown): null {
  if (!(error instanceof BotError) || error.code !== 'limit' || error.hint === undefined) throw error;
  return null;
}

async function wrongIn(open: VerdictStage, all: Omit<Known, 'hosts'>, question: Question): Promise<string[]> {
  const { verb, range: words, rest = '', zone = 'UTC', hosts = [] } = question;
  const known: Known = { ...all, hosts };
  const sentence = [verb, words, rest, zone === 'UTC' ? '' : `in ${zone}`].filter(Boolean).join(' ');
  cells += 1;
  const reply = await open.ask(sentence).catch(unlessLimited);
  if (reply === null) return [];
  const context = { now: minuteOf(known), zone };
  const range = parseRange(words, context);
  const windows = compareLikeWithLike({ range, versus: rest.includes('previous') ? 'previous' : null, ...context });
  if (windows === null) throw new Error(`nothing of ${words} is settled`);
  const notes = text(reply.notes);
  const before = isGone(known, windows.against) ? [] : truthsOf(known, windows.against, notes);
  // A check of the last hours judges whole minutes, but lists categories up to now.
  const listed = verb === 'check' ? [truthOf(known, range)] : [];
  const part = comparedPart(known, reply, windows, context);
  parts += part === null ? 0 : 1;
  return [
    ...note(sentence, heldAgainst(reply, [...truthsOf(known, windows.counted, notes), ...listed], before, part)),
    // The rows of `who` share their first column.
    ...disagreeing(known, verb === 'who' ? null : reply).map((each) => `${sentence}: ${each}`),
  ];
}

const disagreeing = ({ kind }: Pick<Known, 'kind'>, reply: Reply | null): string[] =>
  reply === null || kind.habits?.missingEvery !== undefined ? [] : disagreements(reply);

const minuteOf = ({ nowMs }: Pick<Known, 'nowMs'>): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(nowMs).round({ smallestUnit: 'minute', roundingMode: 'floor' });

/** The digest due now, and one that was due three minutes after midnight, which covers a whole day. */
function digestWindows({ nowMs }: Pick<Known, 'nowMs'>, zone: string): Readonly<Record<string, Range>> {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  const to = lastSettledMinute(now.toInstant());
  const midnight = now.startOfDay();
  return {
    'hourly digest': { from: to.subtract({ hours: 1 }), to },
    'daily digest': { from: to.toZonedDateTimeISO(zone).subtract({ days: 1 }).toInstant(), to },
    'digest of a day': { from: midnight.subtract({ days: 1 }).toInstant(), to: midnight.toInstant() },
  };
}

async function wrongInDigests(open: VerdictStage, all: Omit<Known, 'hosts'>, zone = 'UTC'): Promise<string[]> {
  const known: Known = { ...all, hosts: [] };
  const now = Temporal.Instant.fromEpochMilliseconds(known.nowMs);
  const compose = createDigestReply({
    statistics: open.statistics,
    ignored: rememberIgnored(),
    hosts: { entries: async () => [] },
    clock: { ...systemClock, now: () => now },
    episodes: episodeLog(open.statistics, () => now),
    reported: async () => [],
    linkTo: async () => null,
  });
  const wrong: string[] = [];
  for (const [name, range] of Object.entries(digestWindows(known, zone))) {
    digests += 1;
    const { message } = await compose({ id: 'd1', channel: 'C1', zone, hosts: [] }, range, { late: false, tail: null });
    const windows = compareLikeWithLike({ range, now, zone });
    if (windows === null) throw new Error(`nothing of the ${name} is settled`);
    const notes = text(message.notes);
    const truths = truthsOf(known, windows.counted, notes);
    const before = isGone(known, windows.against) ? [] : truthsOf(known, windows.against, notes);
    const part = comparedPart(known, message, windows, { now, zone });
    parts += part === null ? 0 : 1;
    const change = changeHeldAgainst(message, truths, before, windows, part);
    changes += change.checked;
    wrong.push(...note(`${name} in ${zone}`, heldAgainst(message, truths, before, part), change));
    wrong.push(...disagreeing(known, message).map((each) => `${name}: ${each}`));
  }
  return wrong;
}

describe.each(KINDS)('on a service of the kind “%s”', (name, kind) => {
  it('every number of every verb and digest is true', { timeout: 240_000 }, async () => {
    const open = await openVerdictStage(SEED, [], kind, { dialect: 'auto' });
    const model = { ...open.world, hosts: kind.hosts ?? open.world.hosts, loggingMs: kind.loggingMs };
    const wrong: string[] = [];
    try {
      const known = { model, kind, nowMs: open.stage.clock.nowMs };
      for (const question of questionsFor(name, kind)) wrong.push(...(await wrongIn(open, known, question)));
      wrong.push(...(await wrongInDigests(open, known)));
      for (const { zone, day, hours } of ZONED.includes(name) ? CLOCK_CHANGES : []) {
        const changed = Temporal.PlainDate.from(day).toZonedDateTime(zone);
        expect(changed.hoursInDay).toBe(hours);
        const nowMs = changed.add({ days: 1 }).with({ hour: 12, minute: 7 }).epochMilliseconds;
        open.stage.clock.nowMs = nowMs;
        for (const question of ON_A_CHANGE)
          wrong.push(...(await wrongIn(open, { ...known, nowMs }, { ...question, zone })));
        wrong.push(...(await wrongInDigests(open, { ...known, nowMs }, zone)));
      }
      expect(wrong).toEqual([]);
    } finally {
      await open.stage.close();
    }
  });
});

it('checked every verb and digest on every kind', () => {
  const kinds = KINDS.length;
  const zoned = KINDS.filter(([name]) => ZONED.includes(name)).length;
  // All of them but those that missing points make no sense for.
  expect(cells).toBeGreaterThan(QUESTIONS.length * (kinds - 1));
  expect(digests).toBe(3 * (kinds + zoned * CLOCK_CHANGES.length));
  expect(numbers).toBeGreaterThan(650 * kinds);
  // What was compared in part is held against exactly that part.
  expect(parts).toBeGreaterThan(4);
  // Most digests name a change; the others say why there is nothing to compare with.
  expect(changes).toBeGreaterThan(digests / 2);
  process.stdout.write(
    `${cells} answers and ${digests} digests on ${kinds} kinds, ${numbers} numbers checked, ${parts} compared in part\n`,
  );
});
