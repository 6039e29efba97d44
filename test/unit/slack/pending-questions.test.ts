import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storedQuestions } from '../../../src/bot.ts';
import {
  AnsweredElsewhere,
  createPendingQuestions,
  LOOK_EVERY_MS,
  type PendingQuestion,
} from '../../../src/slack/answer-question.ts';
import { dropRepeated } from '../../../src/slack/middleware.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createManualClock, type ManualClock, settle } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';

const TARGET = { channel: 'C1', user: 'U1', threadTs: '1.2', responseUrl: 'https://hooks.slack.com/secret' };
const MINUTE = 60_000;
let clock: ManualClock;
let store: Store;
beforeEach(async () => {
  clock = createManualClock();
  store = await openStore('memory:', { log: createRecordingLog(), now: clock.now });
});
afterEach(() => store.close());

interface Resumed {
  readonly text: string;
  readonly target: object;
  readonly question: PendingQuestion;
}

/** A process on the store that others use too. */
async function startProcess(on: Store = store) {
  const resumed: Resumed[] = [];
  const seen: string[] = [];
  const questions = createPendingQuestions({
    store: { ...storedQuestions(on), exclusive: false },
    clock,
    log: createRecordingLog(),
    markSeen: async (delivery) => seen.push(delivery),
  });
  await questions.open();
  questions.resumeWith(async (text, target, question) => void resumed.push({ text, target, question }));
  await settle();
  return { ...questions, resumed, seen };
}

async function added(process: Awaited<ReturnType<typeof startProcess>>, text = 'timeline'): Promise<PendingQuestion> {
  const question = await process.add(text, TARGET);
  if (question === null) throw new Error('not added');
  return question;
}

describe('a question', () => {
  it('stays with a process that lives, and is gone once it is answered', async () => {
    const [one, two] = [await startProcess(), await startProcess()];
    const question = await added(one);
    await clock.advance(MINUTE);
    expect(two.resumed).toEqual([]);
    await question.take();
    await one.close();
    await clock.advance(MINUTE);
    expect(two.resumed).toEqual([]);
    expect(await Array.fromAsync(store.list('questions'))).toEqual([]);
  });

  it('of a process that ended is answered by another, which gets no address to post to', async () => {
    const [one, two, three] = [await startProcess(), await startProcess(), await startProcess()];
    await added(one);
    await one.close();
    await clock.advance(LOOK_EVERY_MS);
    const resumed = [...two.resumed, ...three.resumed];
    expect(resumed).toMatchObject([{ text: 'timeline', question: { leftBehind: 1 } }]);
    const { responseUrl: _, ...target } = TARGET;
    expect(resumed[0]?.target).toEqual(target);
    expect(two.seen.length + three.seen.length).toBe(1);
    expect(JSON.stringify(await Array.fromAsync(store.list('questions')))).not.toContain('hooks');
  });

  it('taken over from a process that was frozen is not answered by it too', async () => {
    const one = await startProcess();
    const question = await added(one);
    expect(await question.isOurs()).toBe(true);
    // Its lease ends, because nobody renews it.
    clock.leap(MINUTE);
    const two = await startProcess();
    expect(await question.isOurs()).toBe(false);
    await two.resumed[0]?.question.take();
    await expect(question.take()).rejects.toThrow(AnsweredElsewhere);
  });

  it('taken over by two frozen processes from one another is answered once', async () => {
    const one = await startProcess();
    const question = await added(one);
    clock.leap(MINUTE);
    const two = await startProcess();
    expect(two.resumed).toHaveLength(1);
    await two.close();
    await clock.advance(LOOK_EVERY_MS);
    expect(one.resumed).toHaveLength(1);
    await expect(question.take()).rejects.toThrow(AnsweredElsewhere);
    await expect(one.resumed[0]?.question.take()).resolves.toBeUndefined();
  });

  it('that is left alone after being taken over twice is answered only by the last that had it', async () => {
    const one = await startProcess();
    await added(one);
    clock.leap(MINUTE);
    const two = await startProcess();
    clock.leap(MINUTE);
    const three = await startProcess();
    clock.leap(MINUTE);
    const four = await startProcess();
    expect([two, three, four].map(({ resumed }) => resumed.length)).toEqual([1, 1, 0]);
    await expect(two.resumed[0]?.question.take()).rejects.toThrow(AnsweredElsewhere);
    await expect(three.resumed[0]?.question.take()).resolves.toBeUndefined();
  });

  it('is not taken over by a process that froze after it had read that nobody has answered it', async () => {
    const one = await startProcess();
    await added(one);
    await one.close();
    const two = await startProcess();
    clock.leap(MINUTE);
    const { promise, resolve: thaw } = Promise.withResolvers<void>();
    const three = await startProcess({
      ...store,
      async *list<T>(name: string) {
        for await (const entry of store.list<T>(name)) {
          await promise;
          yield entry;
        }
      },
    });
    await two.resumed[0]?.question.take();
    thaw();
    await settle();
    expect(three.resumed).toEqual([]);
  });

  it('is not taken over from a process that took it over after another had read whose it was', async () => {
    const one = await startProcess();
    await added(one);
    await one.close();
    const { promise, resolve: thaw } = Promise.withResolvers<void>();
    const three = await startProcess({
      ...store,
      async *list<T>(name: string) {
        for await (const entry of store.list<T>(name)) {
          await promise;
          yield entry;
        }
      },
    });
    const two = await startProcess();
    expect(two.resumed).toHaveLength(1);
    thaw();
    await settle();
    expect(three.resumed).toEqual([]);
    await expect(two.resumed[0]?.question.take()).resolves.toBeUndefined();
  });

  it('is answered by the process that had it if the store was emptied', async () => {
    const one = await startProcess();
    const question = await added(one);
    await store.space('questions').clear();
    await expect(question.take()).resolves.toBeUndefined();
  });

  it('that two processes left behind comes once more, with that number, and then no more', async () => {
    const one = await startProcess();
    await added(one);
    await one.close();
    const counts: number[] = [];
    for (let restart = 0; restart < 4; restart += 1) {
      const next = await startProcess();
      counts.push(...next.resumed.map(({ question }) => question.leftBehind));
      await next.close();
    }
    expect(counts).toEqual([1, 2]);
  });

  it('that is older than half an hour is forgotten', async () => {
    const one = await startProcess();
    await added(one);
    await one.close();
    await clock.advance(31 * MINUTE);
    expect((await startProcess()).resumed).toEqual([]);
    expect(await Array.fromAsync(store.list('questions'))).toEqual([]);
  });

  it('that was put back is answered by the next process', async () => {
    const one = await startProcess();
    const question = await added(one);
    await question.take();
    await question.putBack();
    await one.close();
    expect((await startProcess()).resumed).toHaveLength(1);
  });

  it('is answered while the store fails, and removed once it works again', async () => {
    let isAway = false;
    const flaky: Store = {
      ...store,
      update: async (...args) => {
        if (isAway) throw new Error('away');
        return store.update(...args);
      },
    };
    const one = await startProcess(flaky);
    const question = await added(one);
    isAway = true;
    await expect(question.take()).resolves.toBeUndefined();
    expect(await added(one)).toBeDefined();
    expect(await Array.fromAsync(store.list('questions'))).toHaveLength(1);
    isAway = false;
    await clock.advance(LOOK_EVERY_MS);
    expect(await Array.fromAsync(store.list('questions'))).toEqual([]);
  });

  it('that Slack delivers again to the next process is answered by one of the two', async () => {
    const one = await startProcess();
    const deliver = async (process: typeof one): Promise<PendingQuestion | null> => {
      const result = Promise.withResolvers<PendingQuestion | null>();
      const next = async () => result.resolve(await process.add('timeline', TARGET));
      const delivery = { body: { event_id: 'Ev1' }, context: {}, next };
      await Reflect.apply(
        dropRepeated(async () => true),
        undefined,
        [delivery],
      );
      return result.promise;
    };
    const first = await deliver(one);
    expect(await deliver(one)).toBeNull();
    clock.leap(MINUTE);
    const two = await startProcess();
    // It has been taken over already.
    expect(two.resumed).toHaveLength(1);
    expect(two.seen).toEqual(['event_id:Ev1']);
    expect(await deliver(two)).toBeNull();
    await two.resumed[0]?.question.take();
    await expect(first?.take()).rejects.toThrow(AnsweredElsewhere);
    const three = await startProcess();
    expect(await deliver(three)).toBeNull();
  });
});
