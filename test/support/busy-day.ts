/**
 * Four weeks of recorded numbers and a day with four episodes: SQL injection at night (02:37 – 03:03), a category that is
 * new (from 05:15), no attacks while visitors keep coming (from 07:10), and cross-site scripting from 15:00 on.
 */
import { type Commands, createCommands } from '../../src/commands/index.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import { type RecordedNumbers, recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { onlyProject } from '../../src/projects/project.ts';
import type { Reply } from '../../src/replies/reply.ts';
import { NO_DIGESTS, NO_WATCHES } from '../../src/subscriptions/none.ts';
import { episodeLog } from './episodes.ts';
import { createSeededRandom } from './seeded-random.ts';

const DAYS = 36;
export const BUSY_DAY = '2026-03-18';
const START_MS = Date.parse('2026-02-11T00:00Z');
const dayMs = Date.parse(`${BUSY_DAY}T00:00Z`);
const MINUTE_MS = 60_000;

/** Minutes of the busy day `[from, to)`, and what they have more of. */
export interface Extra {
  readonly from: string;
  readonly to: string;
  readonly category: string;
  readonly perMinute: number;
}

export const NIGHT: Extra = { from: '02:37', to: '03:03', category: 'sqli', perMinute: 40 };
export const AFTERNOON: Extra = { from: '15:00', to: '23:00', category: 'xss', perMinute: 30 };
const WEBSHELL: Extra = { from: '05:15', to: '05:40', category: 'webshell', perMinute: 1.6 };
/** No attacks at all. */
const SILENCE = { from: '07:10', to: '08:40' };

const minuteOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return (dayMs - START_MS) / MINUTE_MS + hours * 60 + minutes;
};

interface Day {
  readonly extras?: readonly Extra[];
  readonly silence?: { readonly from: string; readonly to: string } | null;
  readonly seed?: number;
}

/** About eight attacks a minute by day and five at night. */
export function busyDay({
  extras = [NIGHT, WEBSHELL, AFTERNOON],
  silence = SILENCE,
  seed = 7,
}: Day = {}): RecordedNumbers {
  const random = createSeededRandom(seed);
  const length = DAYS * 1440;
  const levels: Readonly<Record<string, number>> = { cc: 3, sqli: 1.4, xss: 0.9, lfi: 0.5, robot: 1, webshell: 0 };
  const noisy = (mean: number): number => {
    let count = 0;
    for (let left = mean; left > 0; left -= 0.25) if (random.below(10_000) < 10_000 * Math.min(0.25, left)) count += 1;
    return count;
  };
  const quiet = silence === null ? null : [minuteOf(silence.from), minuteOf(silence.to)];
  const isQuiet = (at: number): boolean => quiet !== null && at >= (quiet[0] ?? 0) && at < (quiet[1] ?? 0);
  const columns = Object.entries(levels).map(([category, level]) => {
    const own = extras
      .filter((extra) => extra.category === category)
      .map(({ from, to, perMinute }) => ({ first: minuteOf(from), end: minuteOf(to), perMinute }));
    const column = Array.from({ length }, (_, at) => {
      const daily = 1 - 0.25 * Math.cos(((at % 1440) / 1440) * 2 * Math.PI);
      const more = own
        .filter(({ first, end }) => at >= first && at < end)
        .reduce((sum, { perMinute }) => sum + perMinute, 0);
      return isQuiet(at) ? 0 : noisy(level * daily + more);
    });
    return [category, column] as const;
  });
  const attacks = Array.from({ length }, (_, at) => columns.reduce((sum, [, column]) => sum + (column[at] ?? 0), 0));
  const requests = attacks.map((count, at) => {
    const daily = 1 - 0.2 * Math.cos(((at % 1440) / 1440) * 2 * Math.PI);
    // Little of it is drawn: every draw of 50,000 minutes takes its time.
    return count + 300 + Math.round(50 * daily) + noisy(10 * daily);
  });
  return { startMs: START_MS, intervalMs: MINUTE_MS, requests, attacks, categories: Object.fromEntries(columns) };
}

/** Asks as of a time of the busy day. */
export function askOn(numbers: RecordedNumbers): (clock: string, text: string) => Promise<Reply> {
  const asOf = recordedStatistics(numbers);
  const stages = new Map<string, Commands>();
  return (clock, text) => {
    const commands = stages.get(clock) ?? commandsAt(Temporal.Instant.from(`${BUSY_DAY}T${clock}Z`), asOf);
    stages.set(clock, commands);
    return commands.answer({ text, user: 'U1', channel: 'C1', userZone: null });
  };
}

function commandsAt(now: Temporal.Instant, asOf: ReturnType<typeof recordedStatistics>): Commands {
  const none = { get: async () => undefined, set: async () => {}, delete: async () => {}, entries: async () => [] };
  const statistics = asOf(now.epochMilliseconds);
  return createCommands({
    projects: onlyProject({
      statistics,
      hosts: none,
      lastVerdicts: createLastVerdicts(),
      episodes: episodeLog(statistics, () => now),
    }),
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    settings: none,
    digests: NO_DIGESTS,
    watches: NO_WATCHES,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    policy: { allowedChannels: null, admins: null },
    now: () => now,
    zone: 'UTC',
    command: '/waf',
  });
}
