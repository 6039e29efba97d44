import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../../src/commands/verbs/index.ts';
import type { EpisodeRecord } from '../../../../src/episodes/episode.ts';
import { createLastVerdicts } from '../../../../src/episodes/last-verdicts.ts';
import { BotError } from '../../../../src/errors.ts';
import { onlyProject } from '../../../../src/projects/project.ts';
import { plainText } from '../../../../src/replies/phrases.ts';
import type { Reply } from '../../../../src/replies/reply.ts';
import type { Statistics } from '../../../../src/statistics/statistics.ts';
import { openStore } from '../../../../src/store/index.ts';
import type { Records } from '../../../../src/store/store.ts';
import { createLocalLeases, createRunUnderLease } from '../../../../src/subscriptions/delivery/lease.ts';
import type { MessageEditor, MessageSender } from '../../../../src/subscriptions/delivery/outbox.ts';
import { createPostExactlyOnce } from '../../../../src/subscriptions/delivery/post-exactly-once.ts';
import { createPostRateLimiter } from '../../../../src/subscriptions/delivery/post-rate-limiter.ts';
import type { TimeWindow } from '../../../../src/subscriptions/recurrence/time-window.ts';
import type { Subscription } from '../../../../src/subscriptions/subscription.ts';
import { createEpisodePublisher } from '../../../../src/subscriptions/watch/publish-episode.ts';
import { parseWatch } from '../../../../src/subscriptions/watch/watch-rule.ts';
import { createWatchRunner, type WatchDetails } from '../../../../src/subscriptions/watch/watch-runner.ts';
import { createWatchStates } from '../../../../src/subscriptions/watch/watch-state.ts';
import { createFakeOutbox, type Fault } from '../../../support/channel.ts';
import { createManualClock } from '../../../support/clock.ts';
import { episodeLog, episodeRecord } from '../../../support/episodes.ts';

const MINUTE_MS = 60_000;
const START = Temporal.Instant.from('2026-03-10T15:00:00Z');
const LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Ten attacks a minute, and sixty from 15:10 to 15:30, from 15:20 on a hundred and twenty. */
function attacksAt(minute: number): number {
  const after = minute - START.epochMilliseconds / MINUTE_MS;
  return after >= 10 && after < 30 ? (after >= 20 ? 120 : 60) : 10;
}

function statisticsAt(now: () => Temporal.Instant, fails: () => boolean = () => false): Statistics {
  return {
    async timeline({ range }) {
      if (fails()) throw new BotError('upstream_unavailable', 'The service is down.');
      const floor = (instant: Temporal.Instant) => Math.floor(instant.epochMilliseconds / MINUTE_MS) * MINUTE_MS;
      const [fromMs, toMs] = [floor(range.from), floor(range.to)];
      const points = [];
      for (let endMs = fromMs + MINUTE_MS; endMs <= toMs; endMs += MINUTE_MS) {
        points.push({ endMs, requests: 1000, attacks: attacksAt(endMs / MINUTE_MS - 1) });
      }
      const asOfMs = floor(now());
      return {
        fromMs,
        toMs,
        intervalMs: MINUTE_MS,
        points,
        settledUntilMs: asOfMs - 4 * MINUTE_MS,
        asOfMs,
        stale: false,
      };
    },
    distribution: () => Promise.reject(new BotError('upstream_unavailable', 'The service is down.')),
  };
}

class Crash extends Error {}

/** The same store and channel through all lives of the process; a life ends when `dies` says so. */
async function stage(
  dies: (operation: number) => 'before' | 'after' | null = () => null,
  fails?: () => boolean,
  editsThrow: () => boolean = () => false,
  quiet: readonly TimeWindow[] = [],
  found: readonly EpisodeRecord[] | null = null,
) {
  const clock = createManualClock(START);
  const store = await openStore('memory:', { log: LOG, now: clock.now });
  const channel = createFakeOutbox<Reply>(clock.now);
  const shown: { text: string; edit: boolean }[] = [];
  let operation = 0;
  let crash = Promise.withResolvers<never>();
  /** A process that dies during a call hears nothing of it. */
  const orSilence = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
      crash.reject(error);
      return new Promise<T>(() => {});
    });
  const mortal = async <T>(work: () => Promise<T>): Promise<T> => {
    operation += 1;
    const fate = dies(operation);
    if (fate === 'before') throw new Crash();
    const result = await work();
    if (fate === 'after') throw new Crash();
    return result;
  };
  const records: Records = {
    space: (name) => store.space(name),
    list: (name) => store.list(name),
    damaged: store.damaged,
    update: (name, key, change) => mortal(() => store.update(name, key, change)),
  };
  const { rule, everyMs } = parseWatch('attacks over 200 per 5m');
  const subscription: Subscription<WatchDetails> = {
    id: 'w1',
    kind: 'watch',
    channel: 'C1',
    owner: 'U1',
    timing: { everyMs },
    zone: 'UTC',
    hosts: [],
    details: { rule: found === null ? rule : { kind: 'verdict' }, quiet },
    createdAt: START.toString(),
    state: { is: 'active' },
  };
  const paused: string[] = [];
  const outbox: MessageSender<Reply> & MessageEditor<Reply> = {
    send: (where, reply, runId, threadTs) =>
      orSilence(
        mortal(async () => {
          const result = await channel.outbox.send(where, reply, runId, threadTs);
          if (result.is === 'sent') shown.push({ text: titleOf(reply), edit: false });
          return result;
        }),
      ),
    find: channel.outbox.find,
    edit: (_where, ts, reply) =>
      orSilence(
        mortal(async () => {
          if (!channel.posted.some((post) => post.ts === ts)) return { is: 'gone' } as const;
          if (editsThrow()) throw new TypeError('a block without a type');
          shown.push({ text: titleOf(reply), edit: true });
          return { is: 'sent', ts } as const;
        }),
      ),
  };
  const leases = createLocalLeases(clock);
  const live = (sharedLeases = createLocalLeases(clock)) => {
    const states = createWatchStates(records);
    const statistics = statisticsAt(clock.now, fails);
    const rateLimiter = createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 });
    const postExactlyOnce = createPostExactlyOnce({ outbox, rateLimiter, clock, log: LOG });
    return createWatchRunner({
      commands: COMMANDS,
      states,
      runUnderLease: createRunUnderLease({ leases: sharedLeases, clock, owner: crypto.randomUUID() }),
      outbox,
      publish: createEpisodePublisher({ outbox, postExactlyOnce, log: LOG, states }),
      clock,
      log: LOG,
      projects: onlyProject({
        statistics,
        episodes: { ...episodeLog(statistics, clock.now), ...(found !== null && { within: listOf(found) }) },
        hosts: { entries: async () => [], set: async () => {}, delete: async () => {} },
        lastVerdicts: createLastVerdicts(),
      }),
      findRunnable: async () => subscription,
      pause: async (_subscription, reason) => void paused.push(reason),
    });
  };
  const listOf = (episodes: readonly EpisodeRecord[]) => async () => ({
    ...{ episodes, judged: true, held: [], stale: false, lacksCategories: false },
    untilMs: clock.now().epochMilliseconds - 3 * MINUTE_MS,
  });
  let runner = live();
  /** What the scheduler does: again after a failure, in a new life after a crash. */
  async function tick(): Promise<void> {
    for (let attempt = 1; attempt < 10; attempt++) {
      try {
        const result = await Promise.race([runner.run(subscription, { attempt }), crash.promise]);
        if (result === 'done') return;
        await clock.advance(result.retryAfterMs);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        crash = Promise.withResolvers<never>();
        runner = live();
        await clock.advance(5_000);
      }
    }
    throw new Error('never done');
  }
  async function course(minutes = 60, from = 0): Promise<void> {
    for (let at = from; at <= minutes; at += 5) {
      await clock.advanceTo(START.add({ minutes: at }));
      await tick();
    }
  }
  /** The same course with two processes on one store, both of them asked to run at every due time. */
  async function courseOfTwo(minutes: number): Promise<void> {
    const replicas = [live(leases), live(leases)];
    for (let at = 0; at <= minutes; at += 5) {
      await clock.advanceTo(START.add({ minutes: at }));
      const untilDone = async (replica: ReturnType<typeof live>): Promise<void> => {
        for (let attempt = 1; attempt < 10; attempt++) {
          const result = await replica.run(subscription, { attempt });
          if (result === 'done') return;
          await clock.advance(result.retryAfterMs);
        }
        throw new Error('never done');
      };
      await Promise.all(replicas.map(untilDone));
    }
  }
  const close = () => store.close();
  return {
    courseOfTwo,
    clock,
    channel,
    shown,
    course,
    operations: () => operation,
    paused,
    close,
    runner: () => runner,
    subscription,
    tick,
  };
}

const titleOf = ({ title, headline }: Reply): string => `${title}: ${plainText(headline)}`;

describe('a watch that runs', () => {
  it('calls, calls again when it is worse, edits in between, and closes with a reply in the thread', async () => {
    const s = await stage();
    await s.course(75);
    expect(s.channel.posted.map(({ message }) => message.title)).toEqual([
      expect.stringMatching(/^Attacks over 200 per 5 minutes since 15:1\d$/),
      expect.stringMatching(/^Worse: twice the limit · attacks over 200 per 5 minutes since 15:1\d$/),
      expect.stringMatching(/^Over: attacks over 200 per 5 minutes, 15:1\d – 15:3\d$/),
    ]);
    expect(s.channel.posted.map(({ threadTs }) => threadTs)).toEqual([undefined, undefined, '2.0']);
    const edited = s.shown.filter(({ edit }) => edit).map(({ text }) => text);
    expect(edited).toContainEqual(
      expect.stringMatching(
        /^Attacks over 200 per 5 minutes since 15:1\d: worse at 15:\d\d: Continued in a newer message/,
      ),
    );
    expect(edited.at(-1)).toMatch(
      /^Over: attacks over 200 per 5 minutes, 15:1\d – 15:3\d: [\d,]+ attacks in \d+ minutes, /,
    );
    await s.close();
  });

  it('counts exactly what lies between its beginning and its end', async () => {
    const s = await stage();
    await s.course(75);
    const { episode } = await s.runner().state(s.subscription);
    const minutes = Array.from({ length: 75 }, (_, at) => START.epochMilliseconds / MINUTE_MS + at);
    const within = minutes.filter(
      (minute) => minute * MINUTE_MS >= (episode?.onsetMs ?? 0) && (minute + 1) * MINUTE_MS <= (episode?.endMs ?? 0),
    );
    expect(episode?.figures?.total).toBe(within.reduce((sum, minute) => sum + attacksAt(minute), 0));
    expect(episode?.figures?.peak).toMatchObject({ count: 120, intervalMs: MINUTE_MS });
    await s.close();
  });

  it('shows the same in the end wherever it dies', async () => {
    const calm = await stage();
    await calm.course(75);
    const total = calm.operations();
    const last = calm.shown.at(-1)?.text;
    await calm.close();
    for (let fatal = 1; fatal <= total; fatal++) {
      for (const when of ['before', 'after'] as const) {
        const s = await stage((operation) => (operation === fatal ? when : null));
        await s.course(75);
        expect(s.channel.posted, `dies ${when} ${fatal}`).toHaveLength(3);
        expect(s.shown.at(-1)?.text, `dies ${when} ${fatal}`).toBe(last);
        await s.close();
      }
    }
  }, 60_000);

  it('closes an episode when it would have without the retries of a message', async () => {
    const closedAt = async (retriesAfter: readonly number[]): Promise<number | null | undefined> => {
      const s = await stage();
      for (let at = 0; at <= 75; at += 5) {
        for (const minutes of [0, ...retriesAfter]) {
          await s.clock.advanceTo(START.add({ minutes: at + minutes }));
          await s.tick();
        }
      }
      const { episode } = await s.runner().state(s.subscription);
      await s.close();
      return episode?.closedMs;
    };
    const alone = await closedAt([]);
    expect(alone).toEqual(expect.any(Number));
    expect(await closedAt([1, 2, 3])).toBe(alone);
  });

  it('says everything once when two processes are asked to run it', async () => {
    const alone = await stage();
    await alone.course(75);
    const two = await stage();
    await two.courseOfTwo(75);
    expect(two.channel.posted.map(({ message, threadTs }) => [message.title, threadTs])).toEqual(
      alone.channel.posted.map(({ message, threadTs }) => [message.title, threadTs]),
    );
    expect(two.shown.at(-1)).toEqual(alone.shown.at(-1));
    await alone.close();
    await two.close();
  });

  it.each<[string, Fault[], Parameters<typeof stage>[0]?]>([
    ['as it should', []],
    ['where the answer to a post is lost', ['lost-answer']],
    ['where the answer to the second post is lost', ['lost-answer', 'lost-answer']],
    ['where it dies while it posts', [], (operation) => (operation === 9 ? 'after' : null)],
  ])('tells in the thread of an alert what had begun before it, in the same run, %s', async (_, faults, dies) => {
    const at = (minutes: number): number => START.add({ minutes }).epochMilliseconds;
    const unusual = (mix: string): EpisodeRecord => {
      const steps = [{ atMs: at(5), strength: 4, level: 'elevated' as const }];
      return episodeRecord({ id: `mix-${mix}`, mix, onsetMs: at(1), endMs: at(20), worst: 'elevated', steps });
    };
    const s = await stage(dies, undefined, undefined, [], [unusual('webshell'), unusual('lfi')]);
    s.channel.faults.push(...faults);
    await s.course(10);
    const [alert, ...others] = s.channel.posted;
    expect(alert).toMatchObject({ threadTs: undefined, message: { title: expect.stringMatching(/^Webshell/) } });
    expect(others).toMatchObject([
      { threadTs: alert?.ts, message: { title: expect.stringMatching(/^Local file inclusion/) } },
    ]);
    expect((alert?.message.body ?? []).map(plainText)).toContain(
      'Also Local file inclusion unusually high: see the thread.',
    );
    await s.course(80, 15);
    expect(s.channel.posted.slice(2).map(({ threadTs }) => threadTs)).toEqual([alert?.ts, alert?.ts]);
    await s.close();
  });

  it('keeps what it knows while the service is down, and says so', async () => {
    let down = false;
    const s = await stage(undefined, () => down);
    await s.course(20);
    down = true;
    for (let at = 25; at <= 60; at += 5) {
      await s.clock.advanceTo(START.add({ minutes: at }));
      await s.tick();
    }
    expect(s.channel.posted).toHaveLength(1);
    expect(s.shown.at(-1)?.text).toMatch(
      /^Attacks over 200 per 5 minutes since 15:1\d: Ongoing at 15:\d\d: [\d,]+ attacks in \d+ minutes/,
    );
    const { episode } = await s.runner().state(s.subscription);
    expect(episode?.blindSinceMs).not.toBeNull();
    expect(episode?.closedMs).toBeNull();
    await s.close();
  });

  it('says in plain words what it cannot say in full, and does not try for ever', async () => {
    let edits = 0;
    const s = await stage(undefined, undefined, () => {
      edits += 1;
      return edits % 2 === 1;
    });
    s.channel.faults.push('throws');
    await s.course(75);
    expect(s.channel.posted).toHaveLength(3);
    expect(s.channel.finds()).toBe(0);
    expect(s.shown[0]?.text).toMatch(/^Elevated: This channel watches for attacks over 200 .* it’s happening now\./);
    const edited = s.shown.filter(({ edit }) => edit);
    expect(edited.at(-1)?.text).toMatch(/^Calm again: This channel watches for .* it’s over\./);
    // Each change is tried in full and then plainly.
    expect(edits).toBe(2 * edited.length);
    await s.close();
  });

  it('that never had numbers since it was created reports what it missed', async () => {
    let down = true;
    const s = await stage(undefined, () => down);
    await s.course(60);
    expect(s.channel.posted).toHaveLength(0);
    down = false;
    await s.clock.advanceTo(START.add({ minutes: 65 }));
    await s.tick();
    expect(s.channel.posted.map(({ message }) => message.title)).toEqual([
      expect.stringMatching(/^Over: attacks over 200 per 5 minutes, 15:1\d – 15:3\d$/),
    ]);
    await s.close();
  });

  it('that breaks in a way nobody foresaw has no numbers until it works again', async () => {
    let broken = true;
    const s = await stage(undefined, () => {
      if (broken) throw new TypeError('a bug');
      return false;
    });
    await s.course(15);
    expect(s.channel.posted).toHaveLength(0);
    broken = false;
    await s.clock.advanceTo(START.add({ minutes: 20 }));
    await s.tick();
    expect(s.channel.posted).toHaveLength(1);
    await s.close();
  });

  describe('whose alert Slack did not accept before maintenance began', () => {
    const at = (time: string): number => Temporal.Instant.from(`2026-03-10T${time}Z`).epochMilliseconds;
    const once = (from: string, until: string): TimeWindow => ({
      ...{ id: 'q1', why: 'maintenance', zone: 'UTC', by: 'U1' },
      when: { fromMs: at(from), untilMs: at(until) },
    });
    const titles = ({ channel }: Awaited<ReturnType<typeof stage>>): string[] =>
      channel.posted.map(({ message }) => message.title);
    const postedIn = ({ channel }: Awaited<ReturnType<typeof stage>>, from: string, until: string) =>
      channel.posted.filter((post) => post.at.epochMilliseconds >= at(from) && post.at.epochMilliseconds < at(until));

    it.each<Fault>([{ limited: 120_000 }, 'lost-post'])(
      '(%j) holds it back, and sums it up afterwards',
      async (fault) => {
        const s = await stage(undefined, undefined, undefined, [once('15:20:01', '15:55')]);
        s.channel.faults.push(fault);
        await s.course(75);
        expect(titles(s)).toEqual([expect.stringMatching(/^During maintenance, .* 1 alert held back$/)]);
        await s.close();
      },
    );

    it('alerts when maintenance ends if it goes on', async () => {
      const s = await stage(undefined, undefined, undefined, [once('15:20:01', '15:24')]);
      s.channel.faults.push({ limited: 120_000 });
      await s.course(75);
      expect(postedIn(s, '15:00', '15:24')).toEqual([]);
      expect(titles(s)).toEqual([
        expect.stringMatching(/^Attacks over 200 per 5 minutes since 15:1\d$/),
        expect.stringMatching(/^Over: /),
      ]);
      await s.close();
    });

    it('sums up that it got worse', async () => {
      const s = await stage(undefined, undefined, undefined, [once('15:30:01', '15:54')]);
      await s.course(25);
      expect(titles(s)).toHaveLength(1);
      s.channel.faults.push({ limited: 120_000 });
      await s.course(75, 30);
      expect(postedIn(s, '15:30:01', '15:50')).toEqual([]);
      expect(titles(s).slice(1).toSorted()).toEqual([
        expect.stringMatching(/^During maintenance, .* 1 alert held back$/),
        expect.stringMatching(/^Over: /),
      ]);
      await s.close();
    });
  });

  it('closes the thread of a message that was found only when its episode was over', async () => {
    const s = await stage();
    await s.course(15);
    s.channel.faults.push('lost-answer');
    // Nobody can tell whether it was posted until the attack is over.
    s.channel.failFinds(5);
    for (let at = 20; at <= 75; at += 5) {
      await s.clock.advanceTo(START.add({ minutes: at }));
      await s.runner().run(s.subscription, { attempt: 1 });
    }
    expect(s.channel.finds()).toBeGreaterThan(5);
    const [alert, ...others] = s.channel.posted;
    expect(alert?.message.title).toMatch(/^Attacks over 200/);
    expect(others.map(({ message, threadTs }) => [message.title, threadTs])).toEqual([
      [expect.stringMatching(/^Over: /), alert?.ts],
    ]);
    await s.close();
  });

  it('waits when Slack asks for it, and gives up a channel that is gone', async () => {
    const s = await stage();
    s.channel.faults.push({ limited: 20_000 }, { permanent: 'bot_removed' });
    await s.course(20);
    expect(s.paused.length).toBeGreaterThan(0);
    expect(s.paused[0]).toBe('bot_removed');
    await s.close();
  });
});
