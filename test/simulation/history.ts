/**
 * One history: a bot that runs for an hour or two while a seed decides what goes wrong and when; then everything heals, and
 * what was due must have come, once. A violation is a sentence; the record of the history shows how it came about.
 */
import type { Wave } from '../../playground/service/waves.ts';
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import type { AlertPolicy } from '../../src/subscriptions/watch/alert-policy.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import { type CreatedDigest, createDigestChecks } from './digest-checks.ts';
import { createLossChecks } from './loss-checks.ts';
import { createQuestions } from './questions.ts';
import { createQueueModel } from './queue-model.ts';
import type { Replica, Surroundings } from './replica.ts';
import { createServiceModel, type ServiceModelOptions } from './service-model.ts';
import { createSlackModel, type SlackModelOptions } from './slack-model.ts';
import { createStoreModel, type StoreModel, type StoreModelOptions } from './store-model.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { type CreatedWatch, createWatchChecks, LEAD, MANAGER, ONCALL } from './watch-checks.ts';
import { createWatchPeople } from './watch-people.ts';
import { changeWeather, clearWeather } from './weather.ts';
import { type Chance, createWorld, type World } from './world.ts';

/** Parts that are broken on purpose, to prove that histories find it. */
export type BrokenSeams = StoreModelOptions & SlackModelOptions & ServiceModelOptions;

export interface History {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly traceHash: string;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How much there was to get wrong. */
  readonly digests: number;
  readonly watchMessages: number;
  readonly questions: number;
}

/** A Monday, with four weeks of traffic before. */
const EPOCH_MS = Date.parse('2027-01-04T08:00:00Z');
/** Longer than any wait between two attempts, and than a failing service is retried. */
const HEALING_MS = 20 * MINUTE_MS;
/** The same for an attack that is over: its watch looks three times before it says so. */
const CLOSING_MS = 40 * MINUTE_MS;
/** The second of two attacks is a return of the first, which is over after an hour. */
const RETURN_CLOSING_MS = 85 * MINUTE_MS;
/** Of the histories. */
const EPISODES_SHARE = 0.08;
const WATCHES_SHARE = 0.35;
const QUESTIONS_SHARE = 0.3;
const EMPTIED_SHARE = 0.06;
/** Of those with two attacks: the service is away during both, so that a watch has to catch up. */
const BLACKOUT_SHARE = 0.4;
/** Of those with a watch: people hold back its alerts, and take them on. */
const PEOPLE_SHARE = 0.5;
/** Of those with people and a watch for anything unusual: what it finds is ignored. */
const IGNORED_SHARE = 0.4;
/** Of those without a watch: one whose clock leaps over an attack can't report it. */
const CLOCKS_SHARE = 0.2;
/** What is due shortly before the end may still be on its way. */
const ON_ITS_WAY_MS = 8 * MINUTE_MS;

export async function runHistory(seed: number, broken: BrokenSeams = {}): Promise<History> {
  const world = createWorld(seed, EPOCH_MS);
  return world.inside(async () => {
    const lived = await live(world, planOf(world), broken);
    return {
      seed,
      ...lived,
      trace: world.trace(),
      traceHash: world.traceHash(),
      events: world.events(),
      faults: world.faults(),
    };
  });
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a seed decides before the beginning. */
interface Plan {
  readonly startMs: number;
  readonly kind: StoreModel['kind'];
  readonly withEpisodes: boolean;
  readonly withQuestions: boolean;
  readonly withWatch: boolean;
  readonly waves: readonly Wave[];
  /** What a watch has to report, each as an episode of its own. */
  readonly attacks: readonly Span[];
  /** When the service is away for long; `null` in most histories. */
  readonly blackout: Span | null;
  readonly withPeople: boolean;
  /** A category that everything unusual is of, and that people ignore; `null` in most histories. */
  readonly ignored: string | null;
  /** When the store loses everything; `null` in most histories. */
  readonly emptiedMs: number | null;
  readonly clockIsSet: boolean;
  readonly troubleEndsMs: number;
  readonly endMs: number;
}

function planOf({ chance, peopleChance }: World): Plan {
  const startMs = EPOCH_MS + chance.between(0, 60) * MINUTE_MS;
  const troubleEndsMs = startMs + chance.between(20, 45) * MINUTE_MS;
  const withWatch = chance.happens(WATCHES_SHARE);
  const withEpisodes = chance.happens(EPISODES_SHARE);
  const { waves, attacks } = withWatch ? planAttacks(chance, startMs, withEpisodes) : { waves: [], attacks: [] };
  const withPeople = withWatch && peopleChance.happens(PEOPLE_SHARE);
  const ignored = withPeople && withEpisodes && peopleChance.happens(IGNORED_SHARE) ? 'robot' : null;
  const attackEndsMs = attacks.at(-1)?.toMs ?? 0;
  return {
    ...{ startMs, withWatch, withEpisodes, withPeople, ignored, attacks, troubleEndsMs },
    waves: ignored === null ? waves : waves.map((wave) => ({ ...wave, categories: { [ignored]: 1 } })),
    blackout:
      attacks.length > 1 && chance.happens(BLACKOUT_SHARE)
        ? { fromMs: startMs + 3 * MINUTE_MS, toMs: attackEndsMs + chance.between(1, 20) * MINUTE_MS }
        : null,
    emptiedMs: chance.happens(EMPTIED_SHARE) ? chance.between(startMs + 5 * MINUTE_MS, troubleEndsMs) : null,
    clockIsSet: !withWatch && chance.happens(CLOCKS_SHARE),
    kind: chance.pick<StoreModel['kind']>(['sqlite', 'redis']),
    withQuestions: chance.happens(QUESTIONS_SHARE),
    endMs: Math.max(troubleEndsMs + HEALING_MS, attackEndsMs + (attacks.length > 1 ? RETURN_CLOSING_MS : CLOSING_MS)),
  };
}

/** Often followed by another: after a pause that doesn't end the episode, or so much later that it's one of its own. */
function planAttacks(chance: Chance, startMs: number, isOnlyOne: boolean) {
  const perMinute = chance.between(80, 160);
  const wave = (fromMinute: number): Wave => ({ kind: 'step', fromMinute, minutes: chance.between(12, 25), perMinute });
  const first = wave(startMs / MINUTE_MS + chance.between(6, 20));
  const endOf = ({ fromMinute, minutes }: Wave): number => fromMinute + minutes;
  const next = chance.pick(['none', 'pause', 'another']);
  const second =
    isOnlyOne || next === 'none'
      ? null
      : wave(endOf(first) + (next === 'pause' ? chance.between(5, 9) : chance.between(35, 46)));
  const span = (from: Wave, to: Wave): Span => ({
    fromMs: from.fromMinute * MINUTE_MS,
    toMs: endOf(to) * MINUTE_MS,
  });
  if (second === null) return { waves: [first], attacks: [span(first, first)] };
  const attacks = next === 'pause' ? [span(first, second)] : [span(first, first), span(second, second)];
  return { waves: [first, second], attacks };
}

function createSurroundings(world: World, plan: Plan, broken: BrokenSeams): Surroundings {
  const { kind, waves, withEpisodes, withQuestions } = plan;
  const store = createStoreModel(world, kind, broken);
  return {
    ...{ world, store, withEpisodes, withQuestions },
    queue: kind === 'redis' ? createQueueModel(world, store) : null,
    slack: createSlackModel(world, broken),
    service: createServiceModel(world, waves, broken),
  };
}

async function live(world: World, plan: Plan, broken: BrokenSeams) {
  const around = createSurroundings(world, plan, broken);
  const { slack, store, service } = around;
  const violations: string[] = [];
  const violate = (found: readonly string[]): void => {
    for (const violation of found) world.record(`VIOLATION: ${violation}`);
    violations.push(...found);
  };
  const digestChecks = createDigestChecks(world, store, service);
  const supervisor = createSupervisor(around);
  const people = createWatchPeople(around, supervisor, plan.endMs - CLOSING_MS / 2);
  const watchChecks = createWatchChecks(store, slack, people.holds);
  const lossChecks = createLossChecks(around, supervisor);
  const questions = createQuestions(around, supervisor);
  slack.onPosted = (message) => {
    violate([...digestChecks.seen(message), ...watchChecks.seen(message), ...lossChecks.seen(message)]);
    const isAlert = message.id?.startsWith('watch/') && message.threadTs === null;
    if (isAlert && plan.withQuestions)
      world.after(world.chance.between(0, 600 * SECOND_MS), null, () =>
        questions.press(message, plan.attacks.length < 2),
      );
    // The sender dies before it hears of it.
    if (world.chance.happens(slack.weather.lostAnswers / 5)) supervisor.kill();
  };
  await world.passUntil(plan.startMs);
  for (const name of store.kind === 'redis' ? ['a', 'b'] : ['a']) supervisor.start(name);
  await world.passUntil(world.nowMs() + 5 * SECOND_MS);
  const { digests, watches } = await setUp(world, plan, supervisor);
  if (plan.emptiedMs !== null) world.at(plan.emptiedMs, null, store.empty);
  if (plan.blackout !== null) planBlackout(around, plan.blackout);
  const act = plan.withPeople ? () => watches.forEach(people.act) : () => {};
  await passTrouble(around, plan, supervisor, { ask: questions.ask, act });
  violate(questions.violations());
  if (world.usedRealTime()) violate(['something waited for real time']);
  if (plan.emptiedMs === null) {
    // After a leap back nothing is due again, and what was being retried goes on when its time comes again.
    const untilMs = world.isBeforeItsTime() ? 0 : world.wallMs() - ON_ITS_WAY_MS;
    violate(digestChecks.missing(digests, untilMs));
    violate(watchChecks.missing(watches));
  }
  violate(await lossChecks.violations(new Set([...digests, ...watches].map(({ owner }) => owner))));
  supervisor.killAll();
  return {
    violations,
    digests: digestChecks.posts.length,
    watchMessages: watchChecks.posts.length,
    questions: questions.asked.length,
  };
}

function planBlackout({ world, service }: Surroundings, { fromMs, toMs }: Span): void {
  const set = (isOn: boolean): void => {
    service.weather.blackout = isOn;
    world.fault('service: long outage', isOn ? 'begins' : 'ends');
  };
  world.at(fromMs, null, () => set(true));
  world.at(toMs, null, () => set(false));
}

/** What people do while things go wrong. */
interface Deeds {
  readonly ask: () => void;
  readonly act: () => void;
}

async function passTrouble(
  around: Surroundings,
  plan: Plan,
  supervisor: Supervisor,
  { ask, act }: Deeds,
): Promise<void> {
  const { world } = around;
  while (world.nowMs() < plan.troubleEndsMs) {
    changeWeather(around, supervisor);
    if (plan.clockIsSet && world.chance.happens(0.4)) setClock(world);
    if (plan.withQuestions) world.after(world.chance.between(0, 60 * SECOND_MS), null, ask);
    if (plan.withPeople) world.after(world.peopleChance.between(0, 120 * SECOND_MS), null, act);
    await world.passUntil(world.nowMs() + world.chance.between(1, 420) * SECOND_MS);
  }
  clearWeather(around);
  // A time server puts it right, or nobody does.
  if (world.clockIsAheadMs() !== 0 && world.chance.happens(0.5)) world.setClock(-world.clockIsAheadMs());
  world.record('everything heals');
  await world.passUntil(plan.endMs);
}

/** By minutes, hours or more than a day. */
function setClock({ chance, setClock: set }: World): void {
  const most = chance.pick([10, 180, 2_000]);
  set(chance.between(1, most * 60) * SECOND_MS * chance.pick([-1, 1]));
}

async function setUp(world: World, plan: Plan, supervisor: Supervisor) {
  const { chance } = world;
  const [replica] = supervisor.ready();
  if (replica === undefined) throw new Error('nothing has started');
  const digests: CreatedDigest[] = [];
  for (let n = chance.between(1, 3); n > 0; n -= 1) {
    digests.push(await createDigest(world, replica, `U${n}`));
    await world.passUntil(world.nowMs() + chance.between(1, 30) * SECOND_MS);
  }
  const watches = plan.withWatch ? [await createWatch(world, replica, plan)] : [];
  return { digests, watches };
}

const subscription = { zone: 'UTC', project: null, hosts: [] } as const;

async function createDigest(world: World, { jobs }: Replica, owner: string): Promise<CreatedDigest> {
  const { chance } = world;
  const text = chance.pick(['every 20m', 'every 30m', 'hourly']);
  const channel = chance.pick(['C1', 'C2']);
  const createdMs = world.wallMs();
  const { id } = await world.passFor(SECOND_MS, jobs.digests.create({ ...subscription, channel, owner, text }));
  world.record(`created the digest ${id} in ${channel}: ${text}`);
  return { job: `digest/${channel}/${id}`, timing: { schedule: parseSchedule(text, 'UTC') }, createdMs, owner };
}

/** Short enough for an alert that nobody acknowledges to go through all of it. */
const POLICY: AlertPolicy = {
  mention: { who: [{ group: ONCALL, name: 'oncall' }], from: 'elevated' },
  escalation: {
    afterMs: 5 * MINUTE_MS,
    to: [
      { user: LEAD, name: 'lead' },
      { user: MANAGER, name: 'manager' },
    ],
  },
};

async function createWatch(world: World, replica: Replica, plan: Plan): Promise<CreatedWatch> {
  const { jobs } = replica;
  const { withEpisodes, attacks, ignored } = plan;
  const channel = world.chance.pick(['C1', 'C2']);
  const text = withEpisodes ? '' : 'attacks over 250 per 5m';
  const request = { ...subscription, channel, owner: 'U1', text };
  const { id } = await world.passFor(5 * SECOND_MS, jobs.watches.create(request));
  world.record(`created the watch ${id} in ${channel}: ${text}`);
  if (channel === 'C1') {
    await world.passFor(5 * SECOND_MS, jobs.watches.setPolicy(channel, id, POLICY));
    world.record(`the watch ${id} mentions and escalates`);
  }
  if (ignored !== null) {
    await world.passFor(SECOND_MS, replica.ignore(ignored));
    world.record(`${ignored} is ignored`);
  }
  const created = { channel, id, job: `watch/${channel}/${id}`, owner: request.owner, ignored };
  return { ...created, hasLimit: !withEpisodes, attacks };
}
