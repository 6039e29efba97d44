/**
 * How many calls a first check of the last hour takes, and how many of them one after the other, in hours in which nothing is found:
 * most checks are of such hours. Nothing is known before; each call is answered once all that wait for one are asked.
 */
import { type AssessmentSources, assess } from '../../src/episodes/assess.ts';
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import type { Statistics, StatisticsQuery } from '../../src/statistics/statistics.ts';
import type { LabelledStream } from './streams.ts';
import { number, table } from './tables.ts';
import { createRandom } from './traffic/random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS_OF_EACH = 3;
/** Long enough for whatever is asked at once to be asked. */
const ROUND_MS = 5;
const CALL_SECONDS = 0.3;
const BOUND = { calls: 12, inSequence: 3, seconds: 1.2 };

interface CheckCost {
  readonly calls: number;
  readonly inSequence: number;
}

/** Counts what is asked; the same question is asked once, as the cache of a running bot does. Categories have no zone. */
function counting(statistics: Statistics): { readonly counted: Statistics; readonly cost: () => CheckCost } {
  const asked = new Map<string, Promise<unknown>>();
  let inSequence = 0;
  let round: Promise<void> | null = null;
  const newRound = async (): Promise<void> => {
    inSequence += 1;
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    round = null;
  };
  const once =
    <Answer>(ask: (query: StatisticsQuery) => Promise<Answer>, keyOf: (query: StatisticsQuery) => string) =>
    (query: StatisticsQuery): Promise<Answer> => {
      const key = keyOf(query);
      const known = asked.get(key) as Promise<Answer> | undefined;
      if (known !== undefined) return known;
      round ??= newRound();
      const answer = round.then(() => ask(query));
      asked.set(key, answer);
      return answer;
    };
  return {
    counted: {
      timeline: once(
        statistics.timeline,
        ({ range: { from, to }, zone }) => `timeline ${from.toJSON()} ${to.toJSON()} ${zone}`,
      ),
      distribution: once(statistics.distribution, ({ range: { from, to } }) => `${from.toJSON()} ${to.toJSON()}`),
    },
    cost: () => ({ calls: asked.size, inSequence }),
  };
}

async function costOf({ numbers, zone }: LabelledStream, nowMs: number): Promise<CheckCost | null> {
  const { counted: statistics, cost } = counting(recordedStatistics(numbers)(nowMs));
  const episodes = createEpisodeLog({ statistics, blocks: null, nowMs: () => nowMs, zone });
  const [from, to] = [nowMs - HOUR_MS, nowMs].map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));
  if (from === undefined || to === undefined) return null;
  const sources: AssessmentSources = { statistics, episodes };
  const { episodes: found } = await assess(sources, { range: { from, to }, hosts: [], zone });
  return found.length === 0 ? cost() : null;
}

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
