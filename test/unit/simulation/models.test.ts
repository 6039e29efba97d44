/** The models of the simulation keep the contracts of what they stand for. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../../../src/store/create-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { schedulerContract } from '../../contract/scheduler.contract.ts';
import {
  SERVICE_NOW_MS,
  SERVICE_TRAFFIC,
  type ServiceFault,
  serviceContract,
} from '../../contract/service.contract.ts';
import { type SlackFault, slackContract } from '../../contract/slack.contract.ts';
import { storeContract } from '../../contract/store.contract.ts';
import { createQueueModel, type QueueModel } from '../../simulation/queue-model.ts';
import { openStatistics } from '../../simulation/replica.ts';
import { createServiceModel } from '../../simulation/service-model.ts';
import { createSlackModel } from '../../simulation/slack-model.ts';
import { createStoreModel, type StoreModel } from '../../simulation/store-model.ts';
import { createWorld, type Life, type World } from '../../simulation/world.ts';
import { eventually } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';
import { type Steps, stepTable } from '../../support/recurrences.ts';

const START_MS = Date.parse('2027-01-04T08:00:00Z');
/** Answers arrive within this, and no lease ends. */
const ANSWER_MS = 20;
/** Also where no answer ever comes. */
const SLACK_ANSWER_MS = 12_000;

/** Lets time go on by itself as far as answers need it, since the contracts just wait for them. */
function startTime(world: World, answerMs = ANSWER_MS) {
  let untilMs = START_MS;
  let isOn = true;
  async function goOn(): Promise<void> {
    while (isOn) {
      if (await world.step(Math.max(untilMs, world.nowMs() + answerMs))) continue;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  void goOn();
  return {
    async pass(ms: number): Promise<void> {
      const passed = Promise.withResolvers<void>();
      untilMs = world.nowMs() + ms;
      world.at(untilMs, null, passed.resolve);
      await passed.promise;
    },
    stop(): void {
      isOn = false;
    },
  };
}

describe.each(['sqlite', 'redis'] as const)('the simulated %s store', (kind) => {
  let time: ReturnType<typeof startTime>;
  let model: StoreModel;
  const life: Life = { name: 'one', alive: true, frozenUntilMs: 0 };
  const openAgain = (): Store => {
    const store = createStore(model.open(life), createRecordingLog());
    return {
      ...store,
      async close() {
        time.stop();
        await store.close();
      },
    };
  };
  storeContract({
    async open() {
      const world = createWorld(1, START_MS);
      time = startTime(world);
      model = createStoreModel(world, kind);
      return openAgain();
    },
    async reopen() {
      return createStore(model.open(life), createRecordingLog());
    },
    pass: (ms) => time.pass(ms),
  });
});

const WEATHER = {
  'rate limit': 'rateLimits',
  'server error': 'serverErrors',
  'request lost': 'lostRequests',
  'answer lost': 'lostAnswers',
} as const satisfies Record<SlackFault, unknown>;

describe('the simulated Slack', () => {
  let time: ReturnType<typeof startTime>;
  afterEach(() => time.stop());
  slackContract(async () => {
    const world = createWorld(1, START_MS);
    time = startTime(world, SLACK_ANSWER_MS);
    const model = createSlackModel(world);
    model.weather.invisibleMs = 0;
    const life: Life = { name: 'one', alive: true, frozenUntilMs: 0 };
    const { channel, user } = { channel: 'C1', user: 'U1' };
    return {
      ...{ clients: model.clientsOf(life), channel, user },
      now: world.clockOf(life).now,
      meet(_method, fault) {
        let left = 1;
        const get = (): number => (left-- > 0 ? 1 : 0);
        Object.defineProperty(model.weather, WEATHER[fault], { get, configurable: true });
      },
      typeCommand: async () => ({ responseUrl: model.responseUrl(channel, user), triggerId: model.triggerId() }),
    };
  });
});

const SERVICE_WEATHER = {
  'server error': 'errors',
  'no answer': 'silences',
  'wrong window': 'wrongWindows',
} as const satisfies Record<ServiceFault, unknown>;

describe('the simulated service', () => {
  let time: ReturnType<typeof startTime>;
  afterEach(() => time.stop());
  serviceContract(async () => {
    const world = createWorld(1, SERVICE_NOW_MS);
    time = startTime(world, SLACK_ANSWER_MS);
    const service = createServiceModel(world, SERVICE_TRAFFIC.waves);
    const log = createRecordingLog();
    const life: Life = { name: 'one', alive: true, frozenUntilMs: 0 };
    const store = createStore(createStoreModel(world, 'sqlite').open(life), log);
    return {
      statistics: openStatistics({ world, service }, life, store, log),
      meet(fault, calls) {
        let left = calls;
        const get = (): number => (left-- > 0 ? 1 : 0);
        Object.defineProperty(service.weather, SERVICE_WEATHER[fault], { get, configurable: true });
      },
    };
  });
});

describe('the simulated job queue', () => {
  const stepMs = 3_600_000;
  const world = createWorld(1, START_MS);
  const life: Life = { name: 'one', alive: true, frozenUntilMs: 0 };
  const clock = world.clockOf(life);
  let time: ReturnType<typeof startTime>;
  let queue: QueueModel<Steps, string>;
  beforeAll(() => {
    time = startTime(world);
  });
  afterAll(() => time.stop());
  schedulerContract({
    stepMs,
    clock,
    async open({ fresh, concurrency = 50 }) {
      if (fresh) queue = createQueueModel(world, createStoreModel(world, 'redis'));
      return queue.open(life, { clock, repeatStrategy: stepTable, log: createRecordingLog(), concurrency });
    },
    passUntil: (holds) => eventually(holds, 'a run', () => time.pass(stepMs / 40)),
    pass: (ms) => time.pass(ms),
  });
});

it('a simulated process that stands still twice goes on when both times are over, in the order things happened', async () => {
  const world = createWorld(1, START_MS);
  const life: Life = { name: 'one', alive: true, frozenUntilMs: 0 };
  const happened: string[] = [];
  const after = (ms: number, what: string) => world.after(ms, life, () => happened.push(what));
  world.freeze(life, 60_000);
  after(1_000, 'first');
  await world.passUntil(START_MS + 2_000);
  world.freeze(life, 10_000);
  after(30_000, 'second');
  await world.passUntil(START_MS + 59_000);
  expect(happened).toEqual([]);
  await world.passUntil(START_MS + 61_000);
  expect(happened.toSorted()).toEqual(['first', 'second']);
});
