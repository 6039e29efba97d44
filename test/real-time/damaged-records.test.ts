/** The program on a store in which some records aren't what the bot wrote: the others go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@keyv/redis';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, later, runBot, startStandIns } from '../support/process-stage.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { textOf } from '../support/world.ts';

cleanUpAfterEach();

const ONCALL = 'C0ONCALL01';

const record = (value: unknown): string => JSON.stringify({ value });

const GOOD = {
  id: 'good22',
  channel: 'C0SECURITY',
  owner: 'U0MAYA0001',
  timing: { schedule: { kind: 'weekly', weekdays: [1], minutes: [480], zone: 'UTC' } },
  zone: 'UTC',
  hosts: [],
  sentence: 'digest mondays at 08:00',
  createdAt: '2026-03-10T14:30:00Z',
  state: { is: 'active' },
};

/** Keys sort before and after the good channel, so that neither order hides anything. */
const DAMAGED: readonly (readonly [key: string, text: string])[] = [
  ['C0AAOBJECT', record({ id: 'x' })],
  ['C0AANUMBER', record(5)],
  ['C0AANOJSON', '{"value":[{"id":"cut'],
  ['C0AABARE', '7'],
  ['C0ZZNULL', record([null])],
  ['C0ZZEMPTY', record([{}])],
  ['C0ZZSTATE', record([{ ...GOOD, id: 'nostat', channel: 'C0ZZSTATE', kind: 'digest', state: null }])],
];

const entries = (['digests', 'watches'] as const).flatMap((space) => [
  ...DAMAGED.map(([key, text]) => ({ space, key, text })),
  { space, key: GOOD.channel, text: record([{ ...GOOD, kind: space === 'digests' ? 'digest' : 'watch' }]) },
]);
const others = [
  { space: 'jobs', key: 'digest/C0AABARE/x', text: record(null) },
  { space: 'jobs', key: 'digest/C0AABARE/y', text: 'no json' },
  { space: 'digest-owners', key: GOOD.owner, text: record(5) },
  { space: 'settings', key: 'C0SECURITY', text: record(5) },
  { space: 'hosts', key: 'shop', text: record(null) },
];

async function sqliteWith(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-damaged-'));
  later(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'bot.db');
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE entries (space TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (space, key)) WITHOUT ROWID`);
  const add = db.prepare('INSERT INTO entries (space, key, text) VALUES (?, ?, ?)');
  for (const { space, key, text } of [...entries, ...others]) add.run(space, key, text);
  db.close();
  return `sqlite:${file}`;
}

async function redisWith(): Promise<string> {
  const redis = await startRedis();
  later(() => redis.stop());
  const client = createClient({ url: redis.url });
  await client.connect();
  for (const { space, key, text } of [...entries, ...others]) await client.set(`wafbot:${space}::${key}`, text);
  await client.close();
  return redis.url;
}

describe.each([
  ['SQLite', true, sqliteWith],
  [`Redis${redisNote}`, redisAvailable, redisWith],
] as const)('damaged records on %s', (_, available, open) => {
  it.skipIf(!available)('stop neither the start nor the others; log and doctor name each one', async () => {
    const WAFBOT_STORE = await open();
    const { slack, environment } = await startStandIns('socket');
    const bot = runBot({ ...environment, WAFBOT_STORE, WAFBOT_CHARTS: 'none' });
    await bot.printed(/wafbot is ready/);
    await slack.command({ text: 'doctor', channel: ONCALL });
    // A busy machine answers after the notice, which becomes the answer.
    const isAnswer = (message: Parameters<typeof textOf>[0]) => !textOf(message).startsWith('Working on');
    const said = textOf(await slack.waitFor(() => slack.messages(ONCALL).find(isAnswer), { what: 'the findings' }));
    for (const [key] of DAMAGED) {
      expect(bot.output.out, key).toMatch(new RegExp(`"space":"digests","key":"${key}".*damaged`));
      expect(said, key).toContain(`digests ${key}`);
      expect(said, key).toContain(`watches ${key}`);
    }
    await slack.command({ text: 'digest list', channel: GOOD.channel, user: GOOD.owner });
    // Private: damaged settings may have said so.
    const list = await slack.waitFor(() => slack.ephemerals(GOOD.owner)[0], { what: 'the list' });
    expect(textOf(list)).toContain(GOOD.id);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
  });
});
