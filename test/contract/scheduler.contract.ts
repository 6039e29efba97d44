/** What every job scheduler must do. `stepMs` is a step of the subject's time: hours by hand, or a moment for real. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Job, RunContext, RunOutcome, Scheduler } from '../../src/scheduler/scheduler.ts';
import type { Steps } from '../support/recurrences.ts';

export interface EngineSubject {
  readonly stepMs: number;
  readonly clock: Clock;
  /** An scheduler on the same data as the others of this test; `fresh` forgets that data first. */
  open(options: { fresh: boolean; concurrency?: number }): Promise<Scheduler<Steps, string>>;
  /** Lets time go on until the condition holds, by at most `limitMs` of the subject's time. */
  passUntil(holds: () => boolean, limitMs: number): Promise<void>;
  pass(ms: number): Promise<void>;
}

type Ran = { readonly job: Job<Steps, string>; readonly context: RunContext };

export function engineContract(subject: EngineSubject): void {
  const { stepMs, clock } = subject;
  let engines: Scheduler<Steps, string>[] = [];
  let ran: Ran[] = [];
  const record = async (job: Job<Steps, string>, context: RunContext): Promise<RunOutcome> => {
    ran.push({ job, context });
    return 'done';
  };
  const open = async (options: { fresh: boolean; concurrency?: number }) => {
    const scheduler = await subject.open(options);
    engines.push(scheduler);
    return scheduler;
  };
  const keys = () => ran.map(({ context }) => context.due.key);
  /** A timing whose step 1 lies one step from now. */
  const steps = (): Steps => ({ startMs: clock.now().epochMilliseconds, everyMs: stepMs });

  beforeEach(() => {
    engines = [];
    ran = [];
  });
  afterEach(async () => {
    await Promise.all(engines.map((scheduler) => scheduler.stop()));
  });

  it('runs a job at each of its due times, in order, each once', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(record);
    const timing = steps();
    await scheduler.put({ id: 'a', timing, payload: 'hello' });
    expect((await scheduler.nextRunAt('a'))?.epochMilliseconds).toBe(timing.startMs + stepMs);
    await subject.passUntil(() => ran.length >= 3, 4 * stepMs);
    expect(keys()).toEqual(['step-1', 'step-2', 'step-3']);
    expect(ran[0]?.job).toEqual({ id: 'a', timing, payload: 'hello' });
    expect(ran[1]?.context).toMatchObject({ late: false, attempt: 1 });
    expect(ran[1]?.context.previousDueAt.equals(ran[0]?.context.due.at ?? clock.now())).toBe(true);
  });

  it('never runs before the time', async () => {
    const scheduler = await open({ fresh: true });
    const early: number[] = [];
    await scheduler.start(async (_, { due }) => {
      early.push(clock.now().epochMilliseconds - due.at.epochMilliseconds);
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: steps(), payload: '' });
    await subject.passUntil(() => early.length >= 3, 4 * stepMs);
    expect(early.every((ms) => ms >= 0)).toBe(true);
  });

  it('keeps a waiting run when the same job is put again', async () => {
    const scheduler = await open({ fresh: true });
    const timing = steps();
    await scheduler.put({ id: 'a', timing, payload: 'x' });
    await subject.pass(1.5 * stepMs);
    await scheduler.put({ id: 'a', timing: { ...timing }, payload: 'x' });
    await scheduler.reconcile([{ id: 'a', timing, payload: 'x' }]);
    await scheduler.start(record);
    await subject.passUntil(() => ran.length >= 1, stepMs / 4);
    expect(keys()[0]).toBe('step-1');
  });

  it('runs once, late, for all that was missed while nobody ran it', async () => {
    const first = await open({ fresh: true });
    await first.start(record);
    await first.put({ id: 'a', timing: steps(), payload: 'x' });
    await subject.passUntil(() => ran.length >= 1, 2 * stepMs);
    await first.stop();
    engines = [];
    await subject.pass(3 * stepMs);
    const second = await open({ fresh: false });
    await second.start(record);
    await subject.passUntil(() => ran.length >= 2, stepMs);
    const missed = ran[1]?.context;
    expect(missed?.late).toBe(true);
    expect(Number(missed?.due.key.slice(5))).toBeGreaterThanOrEqual(4);
    await subject.passUntil(() => ran.length >= 3, 2 * stepMs);
    expect(Number(keys()[2]?.slice(5))).toBe(Number(keys()[1]?.slice(5)) + 1);
    expect(ran[2]?.context.late).toBe(false);
  });

  it('runs what a job new to it has missed since the moment given, and otherwise waits', async () => {
    const scheduler = await open({ fresh: true });
    const timing = { startMs: clock.now().epochMilliseconds - 5.5 * stepMs, everyMs: 10 * stepMs };
    const since = clock.now().subtract({ milliseconds: Math.round(8 * stepMs) });
    await scheduler.put({ id: 'missed', timing, payload: '', since });
    await scheduler.put({ id: 'new', timing, payload: '', since: clock.now() });
    await scheduler.put({ id: 'plain', timing, payload: '' });
    await scheduler.start(record);
    await subject.passUntil(() => ran.length >= 1, stepMs);
    await subject.pass(stepMs / 4);
    expect(ran.map(({ job, context }) => [job.id, context.due.key])).toEqual([['missed', 'step-0']]);
    expect((await scheduler.nextRunAt('missed'))?.epochMilliseconds).toBe(timing.startMs + 10 * stepMs);
  });

  it('calls again for the same due time until it is done', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(async (job, context) => {
      await record(job, context);
      return ran.length < 3 ? { retryAfterMs: stepMs / 20 } : 'done';
    });
    await scheduler.put({ id: 'a', timing: steps(), payload: '' });
    await subject.passUntil(() => ran.length >= 4, 3 * stepMs);
    expect(keys()).toEqual(['step-1', 'step-1', 'step-1', 'step-2']);
    expect(ran.map(({ context }) => context.attempt)).toEqual([1, 2, 3, 1]);
  });

  it('changes, removes and reconciles', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(record);
    const timing = steps();
    const slow = { ...timing, everyMs: 100 * stepMs };
    for (const id of ['gone', 'kept', 'unnamed']) await scheduler.put({ id, timing, payload: id });
    await scheduler.remove('gone');
    await scheduler.reconcile([
      { id: 'kept', timing, payload: 'kept' },
      { id: 'new', timing: slow, payload: 'new' },
    ]);
    expect(await scheduler.nextRunAt('gone')).toBeUndefined();
    expect(await scheduler.nextRunAt('unnamed')).toBeUndefined();
    expect((await scheduler.nextRunAt('new'))?.epochMilliseconds).toBe(timing.startMs + 100 * stepMs);
    await subject.passUntil(() => ran.length >= 2, 3 * stepMs);
    expect(new Set(ran.map(({ job }) => job.id))).toEqual(new Set(['kept']));
    await scheduler.put({ id: 'kept', timing: slow, payload: 'kept' });
    expect((await scheduler.nextRunAt('kept'))?.epochMilliseconds).toBe(timing.startMs + 100 * stepMs);
  });

  it('does not take away a job that is added while it reconciles', async () => {
    const scheduler = await open({ fresh: true });
    const timing = steps();
    await scheduler.put({ id: 'old', timing, payload: '' });
    await scheduler.reconcile(
      (async function* () {
        yield { id: 'listed', timing, payload: '' };
        await scheduler.put({ id: 'meanwhile', timing, payload: '' });
      })(),
    );
    expect(await scheduler.nextRunAt('old')).toBeUndefined();
    expect(await scheduler.nextRunAt('listed')).toBeDefined();
    expect(await scheduler.nextRunAt('meanwhile')).toBeDefined();
  });

  it('keeps to its concurrency and gets everything done', async () => {
    const scheduler = await open({ fresh: true, concurrency: 5 });
    let under = 0;
    let most = 0;
    const done = new Set<string>();
    const timing = { ...steps(), everyMs: 100 * stepMs };
    for (let n = 0; n < 60; n += 1) {
      await scheduler.put({
        id: `job-${n}`,
        timing: { ...timing, startMs: timing.startMs - 99 * stepMs },
        payload: '',
      });
    }
    await scheduler.start(async (job) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      done.add(job.id);
      return 'done';
    });
    await subject.passUntil(() => done.size >= 60, 3 * stepMs);
    expect(done.size).toBe(60);
    expect(most).toBeLessThanOrEqual(5);
  });

  it('waits at the stop for what is under way', async () => {
    const scheduler = await open({ fresh: true });
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    let finished = false;
    await scheduler.start(async () => {
      started.resolve();
      await gate.promise;
      finished = true;
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: steps(), payload: '' });
    let has = false;
    started.promise.then(() => {
      has = true;
    });
    await subject.passUntil(() => has, 2 * stepMs);
    const stopped = scheduler.stop();
    gate.resolve();
    await stopped;
    engines = [];
    expect(finished).toBe(true);
  });
}
