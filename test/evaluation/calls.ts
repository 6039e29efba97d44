/**
 * How many calls a first check of the last hour takes, and how many of them one after the other, in hours in which nothing is found:
 * most checks are of such hours. Nothing is known before; the bot's own cache divides and shares what is asked, and the service
 * answers once all that wait for it are asked.
 */
import { Keyv } from 'keyv';
import { type AssessmentSources, assess } from '../../src/episodes/assess.ts';
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import type { StatisticsQuery } from '../../src/statistics/statistics.ts';
import { createBestEffortCache, createReplicaSharing } from '../../src/waf/cache.ts';
import { createQueries } from '../../src/waf/client/queries.ts';
import type { Dialect } from '../../src/waf/dialects/dialect.ts';
import type { QueryWindow } from '../../src/waf/wire/exchange.ts';
import type { LabelledStream } from './streams.ts';
import { number, table } from './tables.ts';
import { createRandom } from './traffic/random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_OF_EACH = 3;
/** Long enough for whatever is asked at once to be asked. */
const ROUND_MS = 10;
const CALL_SECONDS = 0.3;
const BOUND = { calls: 12, inSequence: 3, seconds: 1.2 };

interface CheckCost {
  readonly calls: number;
  readonly inSequence: number;
}

const queryOf = ({ fromMs, toMs, hosts }: QueryWindow): StatisticsQuery => {
  const [from, to] = [fromMs, toMs].map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));
  if (from === undefined || to === undefined) throw new Error('a window without ends');
  return { range: { from, to }, hosts, zone: 'UTC' };
};

/** A service with recorded numbers, which answers in rounds. */
function countingService({ numbers }: LabelledStream, nowMs: number) {
  const { timeline, distribution } = recordedStatistics(numbers)(nowMs);
  const cost = { calls: 0, inSequence: 0 };
  let round: Promise<void> | null = null;
  const inRound = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    cost.calls += 1;
    round ??= new Promise<void>((resolve) => setTimeout(resolve, ROUND_MS)).then(() => {
      cost.inSequence += 1;
      round = null;
    });
    const [found] = await Promise.all([answer, round]);
    return found;
  };
  const notAsked = (): never => {
    throw new Error('a check asks for numbers and categories only');
  };
  const service: Dialect = {
    async timeline(window) {
      const { intervalMs, points } = await inRound(timeline(queryOf(window)));
      return {
        intervalMs,
        ends: points.map(({ endMs }) => endMs),
        requests: points.map(({ requests }) => requests),
        attacks: points.map(({ attacks }) => attacks),
      };
    },
    async distribution(window) {
      const { counts } = await inRound(distribution(queryOf(window)));
      return { counts, limits: [] };
    },
    sources: notAsked,
    actions: notAsked,
    responses: notAsked,
    events: notAsked,
    offers: () => false,
    notes: notAsked,
  };
  return { service, cost };
}

/** `null` if something is found. */
async function costOf(stream: LabelledStream, nowMs: number): Promise<CheckCost | null> {
  const { service, cost } = countingService(stream, nowMs);
  const now = (): number => nowMs;
  const log = { debug: notLogged, info: notLogged, warn: failed, error: failed };
  const cache = createBestEffortCache(new Keyv(), log);
  const sleep = async (): Promise<void> => {};
  const statistics = createQueries({
    ...{ cache, now, log },
    dialect: service,
    replicas: createReplicaSharing({ cache, locks: null, owner: 'calls', sleep, log }),
    showAddresses: 'masked',
    scope: 'calls',
    maxRangeDays: 30,
    concurrency: 4,
  });
  const episodes = createEpisodeLog({ statistics, blocks: null, nowMs: now, zone: stream.zone });
  const { range } = queryOf({ fromMs: nowMs - HOUR_MS, toMs: nowMs, hosts: [], offset: '+00:00' });
  const sources: AssessmentSources = { statistics, episodes };
  const { episodes: found } = await assess(sources, { range, hosts: [], zone: stream.zone });
  return found.length === 0 ? cost : null;
}

const notLogged = (): void => {};

const failed = (_: object, message: string): never => {
  throw new Error(message);
};

/** Minutes of the week that no event is near. */
function quietMinutes({ fromMs, toMs, events }: LabelledStream, index: number): number[] {
  const random = createRandom(index, 71);
  const drawn = Array.from(
    { length: HOURS_OF_EACH },
    () => fromMs + MINUTE_MS * random.whole(60, (toMs - fromMs) / MINUTE_MS),
  );
  return drawn.filter((ms) => !events.some((event) => event.fromMs < ms && event.toMs + 3 * HOUR_MS > ms));
}

export async function callsReport(streams: Iterable<LabelledStream>): Promise<string[]> {
  const costs: CheckCost[] = [];
  let index = 0;
  for (const stream of streams) {
    for (const nowMs of quietMinutes(stream, index)) {
      const cost = await costOf(stream, nowMs);
      if (cost !== null) costs.push(cost);
    }
    index += 1;
  }
  const row = (name: string, of: (cost: CheckCost) => number, bound: number, digits: number): string[] => {
    const sorted = costs.map(of).sort((a, b) => a - b);
    const at = (part: number): string => number(sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN, digits);
    const within = sorted.filter((each) => each <= bound).length / sorted.length;
    return [name, at(0.5), at(0.75), at(0.9), at(1), `${number(100 * within, 0)} % (${number(bound, digits)})`];
  };
  return [
    `${costs.length} hours in which nothing is found:`,
    table(
      ['a first check', 'half at most', 'three quarters', 'nine in ten', 'all', 'within the goal'],
      [
        row('calls', ({ calls }) => calls, BOUND.calls, 0),
        row('in sequence', ({ inSequence }) => inSequence, BOUND.inSequence, 0),
        row('seconds at 300 ms a call', ({ inSequence }) => CALL_SECONDS * inSequence, BOUND.seconds, 1),
      ],
    ),
  ];
}
