/**
 * One history: a bot that runs for an hour or two while a seed decides what goes wrong and when; then everything heals, and
 * what was due must have come, once. A violation is a sentence; the record of the history shows how it came about.
 */
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import { type CreatedDigest, createDigestChecks } from './digest-checks.ts';
import { openReplica, type Replica, type Surroundings } from './replica.ts';
import { createServiceModel } from './service-model.ts';
import { createSlackModel } from './slack-model.ts';
import { createStoreModel, type StoreModelOptions } from './store-model.ts';
import { type Chance, createWorld, type Life, type World } from './world.ts';

/** Parts that are broken on purpose, to prove that histories find it. */
export type BrokenSeams = StoreModelOptions;

export interface History {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly traceHash: string;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How much there was to get wrong. */
  readonly digests: number;
}

/** A Monday, with four weeks of traffic before. */
const EPOCH_MS = Date.parse('2027-01-04T08:00:00Z');
/** Longer than any wait between two attempts, and than a failing service is retried. */
const HEALING_MS = 22 * MINUTE_MS;
/** Of the histories. */
const EPISODES_SHARE = 0.2;
/** What is due shortly before the end may still be on its way. */
const ON_ITS_WAY_MS = 8 * MINUTE_MS;

export async function runHistory(seed: number, broken: BrokenSeams = {}): Promise<History> {
  const world = createWorld(seed, EPOCH_MS);
  return world.inside(async () => {
    const { violations, digests } = await live(world, broken);
    return {
      seed,
      violations,
      trace: world.trace(),
      traceHash: world.traceHash(),
      events: world.events(),
      faults: world.faults(),
      digests,
    };
  });
}

async function live(world: World, broken: BrokenSeams) {
  const { chance } = world;
  const around: Surroundings = {
    world,
    store: createStoreModel(world, 'sqlite', broken),
    slack: createSlackModel(world),
    service: createServiceModel(world, []),
    withEpisodes: chance.happens(EPISODES_SHARE),
  };
  const violations: string[] = [];
  const violate = (violation: string): void => {
    world.record(`VIOLATION: ${violation}`);
    violations.push(violation);
  };
  const digestChecks = createDigestChecks(around.store, around.service);
  const supervisor = createSupervisor(around);
  around.slack.onPosted = (message) => {
    for (const violation of digestChecks.seen(message)) violate(violation);
    if (around.slack.weather.away === false && chance.happens(around.slack.weather.lostAnswers / 5)) supervisor.kill();
  };
  await world.passUntil(EPOCH_MS + chance.between(0, 60) * MINUTE_MS);
  supervisor.start('first');
  await world.passUntil(world.nowMs() + 5 * SECOND_MS);
  const digests = await createDigests(world, supervisor.anyRunning());
  const troubleEndsMs = world.nowMs() + chance.between(30, 70) * MINUTE_MS;
  while (world.nowMs() < troubleEndsMs) {
    changeWeather(around, supervisor);
    await world.passUntil(world.nowMs() + chance.between(1, 420) * SECOND_MS);
  }
  clearWeather(around);
  world.record('everything heals');
  await world.passUntil(world.nowMs() + HEALING_MS);
  for (const violation of digestChecks.missing(digests, world.nowMs() - ON_ITS_WAY_MS)) violate(violation);
  supervisor.killAll();
  return { violations, digests: digestChecks.posts.length };
}

async function createDigests(world: World, replica: Replica): Promise<readonly CreatedDigest[]> {
  const { chance } = world;
  const created: CreatedDigest[] = [];
  for (let n = chance.between(1, 3); n > 0; n -= 1) {
    const text = chance.pick(['every 20m', 'every 30m', 'hourly']);
    const channel = chance.pick(['C1', 'C2']);
    const creating = replica.jobs.digests.create({
      channel,
      owner: `U${n}`,
      text,
      zone: 'UTC',
      project: null,
      hosts: [],
    });
    const createdMs = world.nowMs();
    await world.passUntil(world.nowMs() + SECOND_MS);
    const { id } = await creating;
    created.push({
      job: `digest/${channel}/${id}`,
      timing: { schedule: parseSchedule(text, 'UTC') },
      createdMs,
    });
    world.record(`created the digest ${id} in ${channel}: ${text}`);
  }
  return created;
}

/** Starts a process again when it has died or could not start, as Docker or systemd do. */
function createSupervisor(around: Surroundings) {
  const { world } = around;
  const { chance } = world;
  const running = new Map<Life, Replica | null>();
  let lives = 0;

  function start(name: string): void {
    lives += 1;
    const life: Life = { name: `${name}#${lives}`, alive: true, frozenUntilMs: 0 };
    running.set(life, null);
    world.record(`${life.name} starts`);
    openReplica(around, life).then(
      (replica) => {
        if (life.alive) running.set(life, replica);
        world.record(`${life.name} runs`);
      },
      (error: unknown) => {
        world.record(`${life.name} could not start: ${String(error)}`);
        end(life, name);
      },
    );
  }

  function end(life: Life, name: string): void {
    life.alive = false;
    running.delete(life);
    world.after(chance.between(1, 90) * SECOND_MS, null, () => start(name));
  }

  return {
    start,
    anyRunning(): Replica {
      for (const replica of running.values()) if (replica !== null) return replica;
      throw new Error('no replica runs');
    },
    kill(): void {
      const [life] = running.keys();
      if (life === undefined) return;
      world.fault('process killed', life.name);
      end(life, life.name.split('#')[0] ?? '');
    },
    freeze(ms: number): void {
      const [life] = running.keys();
      if (life === undefined) return;
      world.fault('process frozen', `${life.name} for ${ms / SECOND_MS} s`);
      life.frozenUntilMs = world.nowMs() + ms;
    },
    killAll(): void {
      for (const life of running.keys()) life.alive = false;
      running.clear();
    },
  };
}

type Supervisor = ReturnType<typeof createSupervisor>;

/** All digests are due at multiples of this. */
const DUE_EVERY_MS = 5 * MINUTE_MS;

const share = (chance: Chance, most: number): number => (chance.happens(0.6) ? 0 : chance.fraction() * most);

function changeWeather({ world, slack, store }: Surroundings, supervisor: Supervisor): void {
  const { chance } = world;
  Object.assign(slack.weather, {
    lostAnswers: share(chance, 0.5),
    lostRequests: share(chance, 0.3),
    serverErrors: share(chance, 0.4),
    rateLimits: share(chance, 0.3),
    away: chance.happens(0.06),
  });
  store.weather.full = chance.happens(0.05);
  if (store.weather.full) world.fault('store: full');
  if (chance.happens(0.15)) world.after(chance.between(0, 120 * SECOND_MS), null, supervisor.kill);
  // While something is due, when there is most to break.
  const toDueMs = DUE_EVERY_MS - (world.nowMs() % DUE_EVERY_MS);
  if (chance.happens(0.25)) world.after(toDueMs + chance.between(0, 1_500), null, supervisor.kill);
  if (chance.happens(0.05)) supervisor.freeze(chance.between(1, 900) * SECOND_MS);
}

function clearWeather({ slack, store, service }: Surroundings): void {
  Object.assign(slack.weather, { lostAnswers: 0, lostRequests: 0, serverErrors: 0, rateLimits: 0, away: false });
  Object.assign(store.weather, { away: false, full: false, lostReplies: 0, slowMs: store.kind === 'sqlite' ? 2 : 8 });
  Object.assign(service.weather, { slowMs: 150, errors: 0, silences: 0, wrongWindows: 0, away: false });
}
