/** What goes wrong in a history, and when: changes every few minutes, as the seed has it. */
import { MINUTE_MS, SECOND_MS } from '../../src/time-units.ts';
import type { Surroundings } from './replica.ts';
import type { Supervisor } from './supervisor.ts';
import type { Chance } from './world.ts';

/** Everything is due at multiples of this. */
const DUE_EVERY_MS = 5 * MINUTE_MS;

/** Often none, otherwise anything up to `most`. */
const share = (chance: Chance, most: number): number => (chance.happens(0.6) ? 0 : chance.fraction() * most);

export function changeWeather(around: Surroundings, supervisor: Supervisor): void {
  const { world, slack, service } = around;
  const { chance } = world;
  Object.assign(slack.weather, {
    lostAnswers: share(chance, 0.6),
    lostRequests: share(chance, 0.4),
    serverErrors: share(chance, 0.5),
    rateLimits: share(chance, 0.4),
    away: chance.happens(0.06),
  });
  Object.assign(service.weather, {
    slowMs: chance.happens(0.15) ? chance.between(1_000, 15_000) : 150,
    errors: share(chance, 0.5),
    silences: share(chance, 0.1),
    wrongWindows: share(chance, 0.3),
    away: chance.happens(0.06),
  });
  world.weather.stalls = share(chance, 0.1);
  changeStore(around);
  if (chance.happens(0.15)) world.after(chance.between(0, 120 * SECOND_MS), null, supervisor.kill);
  // While something is due, when there is most to break.
  const toDueMs = DUE_EVERY_MS - (world.nowMs() % DUE_EVERY_MS);
  if (chance.happens(0.25)) world.after(toDueMs + chance.between(0, 1_500), null, supervisor.kill);
  // As long as a machine sleeps.
  if (chance.happens(0.04)) supervisor.freeze(chance.between(1, 900) * SECOND_MS);
}

const MAX_AWAY_S = 90;

function changeStore({ world, store, queue }: Surroundings): void {
  const { chance } = world;
  const { weather } = store;
  weather.full = chance.happens(0.05);
  if (weather.full) world.fault('store: full');
  if (store.kind === 'sqlite') return;
  weather.slowMs = chance.happens(0.15) ? chance.between(100, 3_000) : 8;
  weather.lostReplies = share(chance, 0.03);
  if (!chance.happens(0.2)) return;
  world.after(chance.between(0, 60 * SECOND_MS), null, () => {
    world.fault('store: away');
    weather.away = true;
    world.after(chance.between(1, MAX_AWAY_S) * SECOND_MS, null, () => {
      weather.away = false;
      queue?.restart();
    });
  });
}

export function clearWeather({ world, slack, store, service }: Surroundings): void {
  world.weather.stalls = 0;
  Object.assign(slack.weather, { lostAnswers: 0, lostRequests: 0, serverErrors: 0, rateLimits: 0, away: false });
  Object.assign(store.weather, { away: false, full: false, lostReplies: 0, slowMs: store.kind === 'sqlite' ? 2 : 8 });
  Object.assign(service.weather, { slowMs: 150, errors: 0, silences: 0, wrongWindows: 0, away: false });
}
