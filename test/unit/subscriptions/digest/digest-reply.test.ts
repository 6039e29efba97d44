import { expect, it } from 'vitest';
import { createEpisodeLog } from '../../../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { BotError } from '../../../../src/errors.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import { createDigestReply } from '../../../../src/subscriptions/digest/digest-reply.ts';

it.each([
  ['does not tell', new BotError('limit', 'Categories for today only.'), "doesn't provide categories for this window"],
  // Row 6: one failing query doesn't take the digest with it.
  [
    'fails to tell',
    new BotError('upstream_unavailable', 'The service is down.'),
    'No categories: The service is down.',
  ],
])('says that a service %s the categories of its time, and tells the rest', async (_, failure, note) => {
  const now = Temporal.Instant.from('2026-03-10T09:10:00Z');
  const minutes = 3 * 1440;
  const recorded = recordedStatistics({
    startMs: now.epochMilliseconds - minutes * 60_000,
    intervalMs: 60_000,
    requests: Array.from({ length: minutes }, () => 100),
    attacks: Array.from({ length: minutes }, (_, at) => 3 + (at % 4)),
    categories: {},
  })(now.epochMilliseconds);
  const statistics = { ...recorded, distribution: () => Promise.reject(failure) };
  const nowMs = () => now.epochMilliseconds;
  const compose = createDigestReply({
    statistics,
    episodes: createEpisodeLog({ statistics, blocks: null, nowMs, zone: 'UTC' }),
    hosts: { entries: async () => [] },
    clock: { now: () => now },
    reported: async () => [],
    linkTo: async () => null,
  });
  const to = Temporal.Instant.from('2026-03-10T09:00:00Z');
  const range = { from: to.subtract({ hours: 1 }), to };
  const subject = { id: 'd1', channel: 'C1', zone: 'UTC', hosts: [] };
  const { message: reply } = await compose(subject, range, { late: false, tail: null });
  expect(reply.notes?.map(plainText).join(' ')).toContain(note);
  expect(reply.table).toBeUndefined();
  expect([reply.headline ?? [], ...(reply.body ?? [])].map(plainText).join(' ')).toContain('270 attacks');
});
