/** Answers kept and shared: over and settled for long, touching now for the minute, and with their age when all is down. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAY, failing, HOUR, MINUTE, openStage, question, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** A window with such edges is one that people name again. */
const HOUR_START = Math.floor(START / HOUR) * HOUR;

const asked = () => stage.service.calls('timeline').length;
const now = () => stage.clock.nowMs;

describe('kept', () => {
  it.each([HOUR, 6 * HOUR])(
    'a window of %i ms that is over is asked for once, for days, by restarts and replicas too',
    async (lengthMs) => {
      stage = await openStage();
      const first = stage.client('token');
      const window = question(lengthMs, HOUR_START - DAY);
      const before = await first.timeline(window);
      await first.close();
      stage.clock.nowMs += 2 * DAY;
      expect(await stage.client('token').timeline(window)).toEqual(before);
      expect(asked()).toBe(1);
    },
  );

  it('a part of a day is cut from the day, which is asked for once', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const whole = await client.timeline(question(DAY, Math.floor(START / DAY) * DAY));
    const part = await client.timeline(question(6 * HOUR, HOUR_START - DAY));
    expect(part.points).toHaveLength(6 * 60);
    expect(whole.points).toEqual(expect.arrayContaining([...part.points]));
    // Two days that are over, of which one is known.
    await client.timeline(question(DAY, HOUR_START - DAY));
    expect(asked()).toBe(2);
  });

  it('two who ask for the last 24 hours within the same minute share; the next minute is another question', async () => {
    stage = await openStage();
    const client = stage.client('token');
    stage.clock.nowMs = START - 29_000;
    const one = await client.timeline(question(DAY, now()));
    stage.clock.nowMs = START + 29_000;
    expect(await client.timeline(question(DAY, now()))).toEqual(one);
    // Yesterday, and today so far.
    expect(asked()).toBe(2);
    stage.clock.nowMs = START + 31_000;
    await client.timeline(question(DAY, now()));
    expect(asked()).toBe(3);
  });

  it('a window that reaches beyond now is asked for again when it has moved on', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const wholeDay = question(DAY, START + 6 * HOUR);
    await client.timeline(wholeDay);
    await client.timeline(wholeDay);
    expect(asked()).toBe(2);
    stage.clock.nowMs += 2 * MINUTE;
    await client.timeline(wholeDay);
    expect(asked()).toBe(3);
  });

  it('what was asked while attacks were still being logged is asked again once they are', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const window = question(HOUR, START - 90_000);
    const early = await client.timeline(window);
    stage.clock.nowMs += 10 * MINUTE;
    const late = await client.timeline(window);
    const sum = (answer: typeof early) => answer.points.reduce((total, point) => total + (point.attacks ?? 0), 0);
    expect(sum(late)).toBeGreaterThan(sum(early));
    stage.clock.nowMs += DAY;
    await client.timeline(window);
    expect(asked()).toBe(2);
  });

  it('hosts in another order, twice or with spaces are the same question; other hosts, projects and services are not', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const past = START - DAY;
    await client.timeline(question(HOUR, past, ['b', 'a']));
    await client.timeline(question(HOUR, past, ['a', 'b', 'a ']));
    expect(asked()).toBe(1);
    await client.timeline(question(HOUR, past, ['a']));
    await client.timeline(question(HOUR, past));
    expect(asked()).toBe(3);
    const elsewhere = stage.client('token', { baseUrl: stage.service.url.replace('127.0.0.1', 'localhost') });
    await elsewhere.timeline(question(HOUR, past, ['a']));
    expect(asked()).toBe(4);
  });

  it('the zone counts for the timeline and not for the distribution', async () => {
    stage = await openStage();
    const client = stage.client('token');
    for (const zone of ['UTC', 'Asia/Kolkata', 'Africa/Abidjan']) {
      await client.timeline(question(HOUR, START - DAY, [], zone));
      await client.distribution(question(HOUR, START - DAY, [], zone));
    }
    expect([asked(), stage.service.calls('distribution').length]).toEqual([2, 1]);
  });

  it('the store does not grow with the number of questions about windows that move', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const stored = () => [...(stage.answers.store as Map<string, string>).values()].map((text) => text.length);
    const longest = { named: 0, passing: 0 };
    for (let minute = 0; minute < 20; minute++) {
      stage.clock.nowMs = START + minute * MINUTE;
      for (let n = 0; n < 5; n++) {
        stage.clock.nowMs += 5_000;
        await client.timeline(question(DAY, now()));
        await client.timeline(question(DAY, now() - DAY));
      }
    }
    await client.close();
    for (const text of (stage.answers.store as Map<string, string>).values()) {
      const { expires } = JSON.parse(text);
      const kind = expires - Date.now() > 2 * HOUR ? 'named' : 'passing';
      longest[kind] += text.length;
    }
    // Of 200 questions one window is a minute's, and only those on a quarter of an hour are stored for days. Beside them
    // there are two that move, and the list of those.
    expect(stored().length).toBeLessThanOrEqual(2 * 20 + 3);
    expect(longest.named).toBeLessThan(5 * Math.max(...stored()));
  });

  it('five minutes of the clock are kept for a day, other passing windows for an hour', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const hourMs = Math.floor((START - DAY) / HOUR) * HOUR;
    await client.distribution(question(5 * MINUTE, hourMs + 10 * MINUTE));
    await client.distribution(question(5 * MINUTE, hourMs + 12 * MINUTE));
    await client.close();
    const texts = [...(stage.answers.store as Map<string, string>).values()];
    const hours = texts.map((text) => Math.round((JSON.parse(text).expires - Date.now()) / HOUR));
    expect(hours.sort((a, b) => a - b)).toEqual([1, 24]);
  });

  it('a failure is not kept', async () => {
    stage = await openStage();
    const client = stage.client('token');
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.1003' }, { on: 'timeline', times: 1 });
    await failing(client.timeline(question(HOUR, START - DAY)));
    await client.timeline(question(HOUR, START - DAY));
  });

  it('nonsense in the store is as good as nothing', async () => {
    stage = await openStage();
    const first = stage.client('token');
    const good = await first.timeline(question(HOUR, START - DAY));
    await first.close();
    for (const key of (stage.answers.store as Map<string, unknown>).keys()) {
      await stage.answers.set(key.replace('answers:', ''), { value: 'odd', asOfMs: 'x' });
    }
    expect(await stage.client('token').timeline(question(HOUR, START - DAY))).toEqual(good);
    expect(asked()).toBe(2);
  });
});

describe('when the service is down', () => {
  const down = () => stage.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });

  it('an earlier answer for the very same window stands in, with its age', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const window = question(DAY, now());
    const before = await client.timeline(window);
    const categories = await client.distribution(window);
    stage.clock.nowMs += 20 * MINUTE;
    down();
    expect(await client.timeline(window)).toEqual({ ...before, stale: true });
    expect(await client.distribution(window)).toEqual({ ...categories, stale: true });
    expect(before.asOfMs).toBe(START);
    expect(stage.said.join()).toContain('showing a cached answer');
    stage.service.resetFaults();
    expect((await client.timeline(window)).stale).toBe(false);
  });

  it('nothing stands in for another window: not the same length earlier, not the same start, not a part', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const midnight = Temporal.Instant.from('2026-03-11T00:00:00Z').epochMilliseconds;
    const moving = [() => question(DAY, now()), () => question(HOUR, now()), () => question(now() - midnight, now())];
    for (const window of moving) await Promise.all([client.timeline(window()), client.distribution(window())]);
    stage.clock.nowMs += 20 * MINUTE;
    down();
    for (const window of moving) {
      expect((await failing(client.timeline(window()))).code).toBe('upstream_unavailable');
      expect((await failing(client.distribution(window()))).code).toBe('upstream_unavailable');
    }
  });

  it('nothing stands in after an hour, for other hosts, or for a refusal', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const toMs = now();
    await client.timeline(question(DAY, toMs));
    stage.clock.nowMs += 20 * MINUTE;
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: 'timeline', times: 1 });
    expect((await failing(client.timeline(question(DAY, toMs)))).code).toBe('upstream_auth');
    down();
    await failing(client.timeline(question(DAY, toMs, ['a'])));
    stage.clock.nowMs += HOUR;
    expect((await failing(client.timeline(question(DAY, toMs)))).code).toBe('upstream_unavailable');
  });

  it('whoever wants no earlier answer gets the failure, also when the question is shared with somebody who does', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const window = question(DAY, now());
    await client.timeline(window);
    stage.clock.nowMs += 2 * MINUTE;
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0613' }, { on: 'timeline' });
    const [person, digest] = await Promise.all([
      client.timeline(window),
      failing(client.timeline({ ...window, freshOnly: true })),
    ]);
    expect(person.stale).toBe(true);
    expect(digest.code).toBe('upstream_unavailable');
  });
});
