import { afterEach, describe, expect, it } from 'vitest';
import { assess } from '../../../src/episodes/assess.ts';
import type { WafClient } from '../../../src/waf/index.ts';
import { episodeLog } from '../../support/episodes.ts';
import { DAY, HOUR, MINUTE, openStage, question, START } from '../../support/waf-stage.ts';

/** In minutes. */
const WEEK = 7 * 24 * 60;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function open(loggingMs?: number) {
  const stage = await openStage({ seed: 51, loggingMs });
  close = stage.close;
  const now = () => Temporal.Instant.fromEpochMilliseconds(stage.clock.nowMs);
  /** What a watch asks at every run. */
  const lookNow = (client: WafClient, hosts: readonly string[] = []) => {
    const toMs = now().epochMilliseconds;
    return episodeLog(client, now).within({ fromMs: toMs - HOUR, toMs, hosts, freshOnly: true });
  };
  const assessNow = (client: WafClient, hosts: readonly string[] = [], zone = 'UTC') => {
    const range = { from: now().subtract({ hours: 1 }), to: now() };
    return assess({ statistics: client, episodes: episodeLog(client, now) }, { range, hosts, zone });
  };
  /** Lengths of the timelines that the service was asked for, in minutes. */
  const asked = () =>
    stage.service.requests
      .filter(({ call }) => call === 'timeline')
      .map(({ search }) => (Number(search.get('to')) - Number(search.get('from'))) / MINUTE);
  return { stage, now, assessNow, lookNow, asked };
}

/** Without any memory: what the service itself says. */
async function direct<T>(stage: Awaited<ReturnType<typeof openStage>>, work: (client: WafClient) => Promise<T>) {
  const { Keyv } = await import('keyv');
  return work(stage.client('aksk', { answers: new Keyv() }));
}

describe('a window that moves', () => {
  it.each([
    ['as usual', undefined],
    ['ten minutes late', 600_000],
  ])('is answered as without a cache, every time, while attacks are logged %s', async (_, loggingMs) => {
    const { stage, assessNow } = await open(loggingMs);
    const client = stage.client('aksk');
    for (let run = 0; run < 5; run++) {
      stage.clock.nowMs = START + run * 5 * MINUTE;
      const [cached, plain] = [await assessNow(client), await direct(stage, assessNow)];
      expect(cached.timeline).toEqual(plain.timeline);
      expect(cached.verdict).toEqual(plain.verdict);
    }
  });

  it('is answered as without a cache for people too, whatever the interval and the edges', async () => {
    const { stage } = await open();
    const client = stage.client('aksk');
    for (const lengthMs of [HOUR, DAY, 30 * HOUR]) {
      for (const passedMs of [0, 7 * MINUTE, 10 * MINUTE, 3 * HOUR]) {
        stage.clock.nowMs = START + passedMs;
        const query = question(lengthMs, stage.clock.nowMs);
        expect(await client.timeline(query)).toEqual(await direct(stage, (plain) => plain.timeline(query)));
      }
    }
  });

  it('is asked for at its end only, and the weeks before once per half day', async () => {
    const { stage, lookNow, asked } = await open();
    const client = stage.client('aksk');
    await lookNow(client);
    const first = asked().toSorted((a, b) => a - b);
    expect(first.slice(-4)).toEqual([WEEK, WEEK, WEEK, WEEK]);
    // Beside them today so far, the day before, and what has passed of the week.
    expect(first).toHaveLength(7);
    for (let run = 0; run < 48; run++) {
      stage.clock.nowMs += 15 * MINUTE;
      await lookNow(client);
    }
    const later = asked().slice(first.length);
    // The quarter of an hour that has passed, and the one before: its attacks may be logged late. At midnight the whole
    // day, and the week up to it; a week begins here as well, so the start of the data is looked for in the
    // four weeks before it.
    expect(later.filter((minutes) => minutes <= 30)).toHaveLength(49);
    expect(later.filter((minutes) => minutes > 30).length).toBeLessThanOrEqual(3);
  });

  it('is asked for beside the same hours of another day, and both are kept with what follows', async () => {
    const { stage, asked } = await open();
    const client = stage.client('aksk');
    // A key that was never accepted is tried by one call alone.
    await client.timeline(question(HOUR));
    const { release } = stage.service.hold({ on: 'timeline' });
    const end = START - (START % MINUTE) - HOUR;
    const both = Promise.withResolvers<void>();
    stage.service.onChange(() => (asked().length === 3 ? both.resolve() : undefined));
    const answers = [end, end - DAY].map((toMs) => client.timeline(question(6 * HOUR, toMs)));
    await both.promise;
    release();
    await Promise.all(answers);
    await client.close();
    const later = stage.client('aksk');
    for (const toMs of [end, end - DAY]) await later.timeline(question(6 * HOUR, toMs + 5 * MINUTE));
    expect(asked().slice(3)).toEqual([]);
  });

  it('is asked for once for ten watches on the same hosts', async () => {
    const { stage, lookNow, asked } = await open();
    const client = stage.client('aksk');
    const ten = () => Promise.all(Array.from({ length: 10 }, () => lookNow(client)));
    await ten();
    expect(asked()).toHaveLength(7);
    stage.clock.nowMs += 5 * MINUTE;
    await ten();
    expect(asked()).toHaveLength(8);
  });

  it('goes on after a restart, and hosts are apart', async () => {
    const { stage, lookNow, asked } = await open();
    const first = stage.client('aksk');
    await lookNow(first);
    await first.close();
    const before = asked().length;
    stage.clock.nowMs += 5 * MINUTE;
    const second = stage.client('aksk');
    await lookNow(second);
    expect(asked().slice(before)).toEqual([20]);
    await lookNow(second, ['3f1c9a7e52b84d06a1e0c47d95b2f8a1']);
    expect(asked().slice(before + 1)).toHaveLength(before);
  });

  it('does not make the store grow without end', async () => {
    const { stage, lookNow } = await open();
    const client = stage.client('aksk');
    for (let run = 0; run <= 30; run++) {
      stage.clock.nowMs = START + run * 5 * HOUR;
      await lookNow(client);
    }
    await client.close();
    const stored = stage.answers.store as Map<string, string>;
    const days = [...stored].filter(([key]) => key.includes('day:'));
    // One for each day that has begun; they expire after two hours.
    expect(days.length).toBeLessThanOrEqual(8);
    for (const [, text] of days)
      expect(JSON.parse(JSON.parse(text).value).value.ends.length).toBeLessThanOrEqual(24 * 60);
  });

  it('is not told from earlier numbers while the service is down, and only its end is asked for afterwards', async () => {
    const { stage, assessNow, asked } = await open();
    const client = stage.client('aksk');
    await assessNow(client);
    stage.clock.nowMs += 5 * MINUTE;
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'timeline' });
    await expect(assessNow(client)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    stage.service.resetFaults();
    expect((await assessNow(client)).timeline.stale).toBe(false);
    expect(
      asked()
        .slice(6)
        .filter((minutes) => minutes === 420),
    ).toEqual([]);
  });

  it('has what an older version stored in its place ignored', async () => {
    const { stage, assessNow } = await open();
    const first = stage.client('aksk');
    const before = await assessNow(first);
    await first.close();
    for (const key of (stage.answers.store as Map<string, unknown>).keys()) {
      await stage.answers.set(key.replace('answers:', ''), { stretches: [{ ends: [1], fromMs: 'x' }] });
    }
    expect(await assessNow(stage.client('aksk'))).toEqual(before);
  });
});
