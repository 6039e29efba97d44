/**
 * What every job scheduler must do. `stepMs` is a step of the subject's time: hours by hand, or a moment for real. Where
 * time is real a busy machine may be late by any number of steps, so most jobs here have one due time soon and the next
 * one far away.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Job, RunContext, RunOutcome, Scheduler } from '../../src/scheduler/scheduler.ts';
import type { Steps } from '../support/recurrences.ts';

export interface SchedulerSubject {
  readonly stepMs: number;
  readonly clock: Clock;
  /** A scheduler on the same data as the others of this test; `fresh` forgets that data first. */
  open(options: { fresh: boolean; concurrency?: number }): Promise<Scheduler<Steps, string>>;
  /** Lets time go on until the condition holds; fails when it never does. */
  passUntil(holds: () => boolean): Promise<void>;
  pass(ms: number): Promise<void>;
}

interface Ran {
  readonly job: Job<Steps, string>;
  readonly context: RunContext;
  readonly behindMs: number;
}

export function schedulerContract(subject: SchedulerSubject): void {
  const { stepMs, clock } = subject;
  let opened: Scheduler<Steps, string>[] = [];
  let ran: Ran[] = [];
  const record = async (job: Job<Steps, string>, context: RunContext): Promise<RunOutcome> => {
    ran.push({ job, context, behindMs: clock.now().epochMilliseconds - context.due.at.epochMilliseconds });
    return 'done';
  };
  const open = async (options: { fresh: boolean; concurrency?: number }) => {
    const scheduler = await subject.open(options);
    opened.push(scheduler);
    return scheduler;
  };
  const keys = () => ran.map(({ context }) => context.due.key);
  const numbers = () => keys().map((key) => Number(key.slice('step-'.length)));
  /** Due at every step from now on. */
  const steps = (): Steps => ({ startMs: clock.now().epochMilliseconds, everyMs: stepMs });
  /** Due in one step or a part of one, as `step-1`, and then not for a long time. */
  const soon = (inSteps = 1): Steps => {
    const dueMs = clock.now().epochMilliseconds + Math.round(inSteps * stepMs);
    return { startMs: dueMs - 100 * stepMs, everyMs: 100 * stepMs };
  };
  /** Runs that come late stand for the due times before them, so an exact sequence can only be expected without them. */
  const wasPunctual = () => ran.every(({ behindMs }) => behindMs < stepMs / 2);

  beforeEach(() => {
    opened = [];
    ran = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((scheduler) => scheduler.stop()));
  });

  it('runs a job at each of its due times, in order, each once', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(record);
    const timing = steps();
    await scheduler.put({ id: 'a', timing, payload: 'hello' });
    expect((await scheduler.nextRunAt('a'))?.epochMilliseconds).toBe(timing.startMs + stepMs);
    await subject.passUntil(() => ran.length >= 3);
    if (wasPunctual()) {
      expect(numbers().slice(0, 3)).toEqual([1, 2, 3]);
      expect(ran.slice(0, 3).map(({ context }) => context.late)).toEqual([false, false, false]);
    }
    expect(numbers()).toEqual([...new Set(numbers())].sort((a, b) => a - b));
    for (const { job, context } of ran) {
      expect(job).toEqual({ id: 'a', timing, payload: 'hello' });
      expect(context.attempt).toBe(1);
      expect(context.due.at.since(context.previousDueAt).total('milliseconds')).toBe(stepMs);
    }
  });

  it('never runs before the time', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(record);
    for (const inSteps of [0.5, 0.7, 1])
      await scheduler.put({ id: `in-${inSteps}`, timing: soon(inSteps), payload: '' });
    await subject.passUntil(() => ran.length >= 3);
    expect(ran.filter(({ behindMs }) => behindMs < 0)).toEqual([]);
  });

  it('keeps a waiting run when the same job is put again', async () => {
    const scheduler = await open({ fresh: true });
    const timing = soon();
    await scheduler.put({ id: 'a', timing, payload: 'x' });
    await subject.pass(1.5 * stepMs);
    await scheduler.put({ id: 'a', timing: { ...timing }, payload: 'x' });
    await scheduler.reconcile([{ id: 'a', timing, payload: 'x' }]);
    await scheduler.start(record);
    await subject.passUntil(() => ran.length >= 1);
    expect(keys()).toEqual(['step-1']);
  });

  it('runs once, late, for all that was missed while nobody ran it', async () => {
    const first = await open({ fresh: true });
    await first.start(record);
    await first.put({ id: 'a', timing: steps(), payload: 'x' });
    await subject.passUntil(() => ran.length >= 1);
    await first.stop();
    opened = [];
    const before = ran.length;
    await subject.pass(3 * stepMs);
    const second = await open({ fresh: false });
    await second.start(record);
    await subject.passUntil(() => ran.length > before + 1);
    const [last = 0, missed = 0, next = 0] = numbers().slice(before - 1);
    expect(ran[before]?.context.late).toBe(true);
    expect(missed).toBeGreaterThanOrEqual(last + 3);
    expect(next).toBeGreaterThan(missed);
    if (!wasPunctual()) return;
    expect(next).toBe(missed + 1);
    expect(ran[before + 1]?.context.late).toBe(false);
  });

  it('runs what a job new to it has missed since the moment given, and otherwise waits', async () => {
    const scheduler = await open({ fresh: true });
    const timing = { startMs: clock.now().epochMilliseconds - 50 * stepMs, everyMs: 100 * stepMs };
    const since = clock.now().subtract({ milliseconds: 80 * stepMs });
    await scheduler.put({ id: 'missed', timing, payload: '', since });
    await scheduler.put({ id: 'new', timing, payload: '', since: clock.now() });
    await scheduler.put({ id: 'plain', timing, payload: '' });
    // Put after them: when it has run, they would have run as well.
    await scheduler.put({ id: 'missed-too', timing, payload: '', since });
    await scheduler.start(record);
    await subject.passUntil(() => ran.some(({ job }) => job.id === 'missed-too'));
    expect(ran.map(({ job, context }) => [job.id, context.due.key])).toEqual([
      ['missed', 'step-0'],
      ['missed-too', 'step-0'],
    ]);
    expect((await scheduler.nextRunAt('missed'))?.epochMilliseconds).toBe(timing.startMs + 100 * stepMs);
  });

  it('runs again what was taken and never done, when told what has been done', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(record);
    const since = clock.now();
    const timing = soon();
    const job = { id: 'a', timing, payload: '' };
    await scheduler.put(job);
    await subject.passUntil(() => ran.length >= 1);
    const { due } = ran[0]?.context ?? { due: { at: since } };
    // As if the run had got lost after it was taken: nothing is done since before its due time.
    await scheduler.reconcile([{ ...job, since }]);
    await subject.passUntil(() => ran.length >= 2);
    // From now on it is done, so that nothing comes again.
    const other = { id: 'b', timing: soon(), payload: '' };
    await scheduler.reconcile([{ ...job, since: due.at }, other]);
    await subject.passUntil(() => ran.some(({ job: { id } }) => id === 'b'));
    expect(ran.map(({ job: { id }, context }) => [id, context.due.key])).toEqual([
      ['a', 'step-1'],
      ['a', 'step-1'],
      ['b', 'step-1'],
    ]);
    expect((await scheduler.nextRunAt('a'))?.epochMilliseconds).toBe(timing.startMs + 2 * timing.everyMs);
  });

  it('calls again for the same due time until it is done', async () => {
    const scheduler = await open({ fresh: true });
    await scheduler.start(async (job, context) => {
      await record(job, context);
      return ran.length < 3 ? { retryAfterMs: stepMs / 20 } : 'done';
    });
    const { startMs } = steps();
    // Far enough apart for the tries, and near enough for the next due time to be seen.
    await scheduler.put({ id: 'a', timing: { startMs: startMs - 7 * stepMs, everyMs: 8 * stepMs }, payload: '' });
    await subject.passUntil(() => ran.length >= 4);
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
    await subject.passUntil(() => ran.length >= 2);
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
    const timing = soon();
    for (let n = 0; n < 60; n += 1) await scheduler.put({ id: `job-${n}`, timing, payload: '' });
    await scheduler.start(async (job) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      done.add(job.id);
      return 'done';
    });
    await subject.passUntil(() => done.size >= 60);
    expect(most).toBeLessThanOrEqual(5);
  });

  it('waits at the stop for what is under way', async () => {
    const scheduler = await open({ fresh: true });
    const gate = Promise.withResolvers<void>();
    let started = false;
    let finished = false;
    await scheduler.start(async () => {
      started = true;
      await gate.promise;
      finished = true;
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: soon(), payload: '' });
    await subject.passUntil(() => started);
    const stopped = scheduler.stop();
    gate.resolve();
    await stopped;
    opened = [];
    expect(finished).toBe(true);
  });
}
