/**
 * What the statistics service does as far as the bot relies on it. The local service and the model of the simulation run this suite,
 * behind the client that the bot uses, with the same traffic at the same moment: so they also give the same numbers.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../playground/service/hosts.ts';
import { loggedBetween } from '../../playground/service/statistics.ts';
import type { TrafficModel } from '../../playground/service/traffic.ts';
import { BotError } from '../../src/errors.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/time-units.ts';

export type ServiceFault = 'server error' | 'no answer' | 'wrong window';

export interface ServiceStage {
  readonly statistics: Pick<Statistics, 'timeline' | 'distribution'>;
  /** What so many next calls meet. */
  meet(fault: ServiceFault, calls: number): void;
}

export const SERVICE_NOW_MS = Date.parse('2027-01-04T08:00:30Z');
const HOST = DEFAULT_HOSTS[0]?.id ?? '';
/** The traffic of the simulation, with an attack in the last hour. */
export const SERVICE_TRAFFIC: TrafficModel & Required<Pick<TrafficModel, 'waves'>> = {
  seed: 11,
  hosts: DEFAULT_HOSTS.slice(0, 1),
  seededWaves: false,
  waves: [{ kind: 'step', fromMinute: SERVICE_NOW_MS / MINUTE_MS - 40.5, minutes: 20, perMinute: 90 }],
};

const ONE_HOUR = { fromMs: SERVICE_NOW_MS - 30_000 - 3 * HOUR_MS, toMs: SERVICE_NOW_MS - 30_000 - 2 * HOUR_MS };

function truth({ fromMs, toMs }: typeof ONE_HOUR): { requests: number; attacks: number } {
  const [requests = 0, ...attacks] = loggedBetween(SERVICE_TRAFFIC, { fromMs, toMs, hosts: [] }, SERVICE_NOW_MS);
  return { requests, attacks: attacks.reduce((sum, count) => sum + count, 0) };
}

const queryOf = ({ fromMs, toMs }: typeof ONE_HOUR, zone = 'UTC', hosts: readonly string[] = []) => {
  const at = Temporal.Instant.fromEpochMilliseconds;
  return { range: { from: at(fromMs), to: at(toMs) }, zone, hosts };
};

export function serviceContract(open: () => Promise<ServiceStage>): void {
  let stage: ServiceStage;
  beforeEach(async () => {
    stage = await open();
  });
  async function countedIn(...asked: Parameters<typeof queryOf>): Promise<ReturnType<typeof truth>> {
    const { points } = await stage.statistics.timeline(queryOf(...asked));
    const sum = (column: 'requests' | 'attacks'): number => points.reduce((all, each) => all + (each[column] ?? 0), 0);
    return { requests: sum('requests'), attacks: sum('attacks') };
  }
  const codeOf = (answer: Promise<unknown>): Promise<string | null> =>
    answer.then(
      () => null,
      (error: unknown) => (error instanceof BotError ? error.code : String(error)),
    );

  describe('numbers', () => {
    it('of an hour come by the minute, and are all that happened in it', async () => {
      const { points, intervalMs } = await stage.statistics.timeline(queryOf(ONE_HOUR));
      expect(intervalMs).toBe(MINUTE_MS);
      expect(points.map(({ endMs }) => endMs)).toEqual(
        Array.from({ length: 60 }, (_, minute) => ONE_HOUR.fromMs + (minute + 1) * MINUTE_MS),
      );
      expect(await countedIn(ONE_HOUR)).toEqual(truth(ONE_HOUR));
    });

    it('of the last minutes are those that were logged by now', async () => {
      const recent = { fromMs: SERVICE_NOW_MS - 30_000 - HOUR_MS, toMs: SERVICE_NOW_MS - 30_000 };
      expect(await countedIn(recent)).toEqual(truth(recent));
    });

    it('of a day, and of a week in longer intervals, are complete too', async () => {
      const day = { ...ONE_HOUR, fromMs: ONE_HOUR.toMs - 24 * HOUR_MS };
      expect(await countedIn(day)).toEqual(truth(day));
      const week = { ...ONE_HOUR, fromMs: ONE_HOUR.toMs - 7 * 24 * HOUR_MS };
      expect((await stage.statistics.timeline(queryOf(week))).intervalMs).toBeGreaterThan(MINUTE_MS);
      expect(await countedIn(week)).toEqual(truth(week));
    });

    it('are the same for whoever asks in another zone, and for all hosts by name', async () => {
      expect(await countedIn(ONE_HOUR, 'Asia/Kolkata')).toEqual(truth(ONE_HOUR));
      expect(await countedIn(ONE_HOUR, 'UTC', [HOST])).toEqual(truth(ONE_HOUR));
    });

    it('by category add up to the attacks', async () => {
      const { counts } = await stage.statistics.distribution(queryOf(ONE_HOUR));
      expect(counts.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(truth(ONE_HOUR).attacks);
    });
  });

  describe('a fault', () => {
    it.each<ServiceFault>(['server error', 'no answer'])('that passes is not noticed: %s', async (fault) => {
      stage.meet(fault, 1);
      expect(await countedIn(ONE_HOUR)).toEqual(truth(ONE_HOUR));
    });

    it.each<[ServiceFault, string]>([
      ['server error', 'upstream_unavailable'],
      ['no answer', 'upstream_timeout'],
      ['wrong window', 'upstream_bad_response'],
    ])('that lasts fails the question: %s', async (fault, code) => {
      stage.meet(fault, 10);
      expect(await codeOf(countedIn(ONE_HOUR))).toBe(code);
    });
  });
}
