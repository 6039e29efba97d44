/**
 * How often the services are called: half an hour of a busy team, while the bot is restarted nine times. The token, answers
 * and everything learned about the service are in the store, so a restart costs nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import type { StatisticsService } from '../../../playground/service/server.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import type { WafClient } from '../../../src/waf/index.ts';
import { count } from '../../support/counts.ts';
import { createRecordingLog } from '../../support/log.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';
import { DAY, HOUR, MINUTE, openStage, type Stage } from '../../support/waf-stage.ts';
import { commandsOn } from './verdict-stage.ts';

const QUESTIONS = count(1_000, 60, 160);
const RESTARTS = count(9, 2, 4);
/** Nobody may ask more than 30 questions in a minute. */
const PEOPLE = 20;
const SPAN_MS = 30 * MINUTE;

/** What people ask, the first ones most often. None reaches back further than a verdict does. */
const SENTENCES = [
  'check',
  'timeline last 24h',
  'attacks today',
  'check on shop',
  'timeline today',
  'attacks yesterday',
  'compare yesterday',
  'check yesterday',
  'timeline last 7 days',
  'who yesterday',
  'incident yesterday 14:00-16:00',
  'attacks last 7 days',
  'compare last week',
  'timeline yesterday on shop',
  'attacks last 14 days',
] as const;

/** Calls for lines that an answer can do without. */
const DETAILS = ['action types', 'response codes', 'abnormal', 'events'];

/**
 * Limits for these questions, of which fewer fall into as many minutes. In `base`
 * are the current day, which changes every minute; days that are over, once each; categories of windows that end now, every
 * minute; five weeks of history for verdicts, once; the categories of each hour in which episodes are found, once and the current one
 * again, with five minutes of those in which a category may have taken over; windows of a week, which are no days; the sources; and in overviews the probe of the dialect. Neither the token nor windows beyond 35 days are in it.
 */
const MAX_CALLS = {
  events: { base: count(730, 460, 540), details: 0 },
  overviews: { base: count(730, 460, 540), details: count(130, 32, 60) },
} as const;

let stage: Stage;
let store: Store | undefined;
let folder: string | undefined;
afterEach(async () => {
  await stage.close();
  await store?.close();
  store = undefined;
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

/** Starts the bot on the store of the one before. */
async function start(previous?: WafClient) {
  await previous?.close();
  await store?.close();
  folder ??= mkdtempSync(path.join(tmpdir(), 'wafbot-calls-'));
  const now = () => Temporal.Instant.fromEpochMilliseconds(stage.clock.nowMs);
  store = await openStore(`sqlite:${path.join(folder, 'wafbot.db')}`, { log: createRecordingLog(), now });
  const spaces = { tokens: store.space('cache-tokens'), answers: store.space('cache-answers') };
  const client = stage.client('token', { ...spaces, dialect: 'auto' });
  const commands = commandsOn(stage, client);
  return {
    client,
    ask: (text: string, user: string) => commands.answer({ text, user, channel: 'C1', userZone: null }),
  };
}

/** Requests to the statistics service: those that answers rest on, and those for their extra lines. */
function callsOf({ requests }: Pick<StatisticsService, 'requests'>) {
  const calls = requests.flatMap(({ call }) => (call === undefined || call === 'token' ? [] : [String(call)]));
  const details = calls.filter((call) => DETAILS.includes(call)).length;
  return { base: calls.length - details, details };
}

/** Of all hosts, from so far back: a question about one host needs them only to find out how long the service keeps data. */
const retentionLooks = ({ requests }: Pick<StatisticsService, 'requests'>): number =>
  requests.filter(({ call, search, atMs }) => {
    const isOld = atMs - Number(search.get('from')) > 35 * DAY;
    return /timeline/.test(String(call)) && !search.has('hosts') && isOld;
  }).length;

describe.each(['events', 'overviews'] as const)('on a service that speaks %s', (kind) => {
  const service = { seed: 53, seededWaves: false, ...SERVICE_KINDS[kind] };

  it('many questions and restarts take one token and few calls', { timeout: 240_000 }, async () => {
    stage = await openStage(service);
    const random = createSeededRandom(7);
    const often = () => Math.min(random.below(SENTENCES.length), random.below(SENTENCES.length));
    let bot = await start();
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      if (asked > 0 && asked % (QUESTIONS / (RESTARTS + 1)) === 0) bot = await start(bot.client);
      await bot.ask(SENTENCES[often()] ?? 'check', `U${asked % PEOPLE}`);
      stage.clock.nowMs += SPAN_MS / QUESTIONS;
    }
    const { base, details } = callsOf(stage.service);
    process.stdout.write(`${QUESTIONS} questions on ${kind}: ${base} calls, ${details} for extra lines\n`);
    expect(stage.service.calls('token')).toHaveLength(1);
    expect(base).toBeLessThanOrEqual(MAX_CALLS[kind].base);
    expect(details).toBeLessThanOrEqual(MAX_CALLS[kind].details);
  });

  it('windows that reach back more than 35 days look for the retention once a day', async () => {
    stage = await openStage(service);
    let bot = await start();
    const looks: number[] = [];
    for (let hour = 0; hour <= 26; hour += 2) {
      if (hour % 6 === 0) bot = await start(bot.client);
      const before = retentionLooks(stage.service);
      await bot.ask('attacks last 30 days on shop', 'U1');
      looks.push(retentionLooks(stage.service) - before);
      stage.clock.nowMs += 2 * HOUR;
    }
    expect(looks).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
  });
});
