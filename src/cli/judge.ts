/**
 * `wafbot judge < numbers.jsonl`: judges an operator's own numbers with the code of `check`, or of a watch with `--watch`.
 * JSON lines in, JSON lines out, streamed one line at a time.
 */
import { parseArgs } from 'node:util';
import { type AssessmentSources, assess } from '../episodes/assess.ts';
import { createEpisodeLog } from '../episodes/episode-log.ts';
import { recordedStatistics } from '../episodes/recorded-statistics.ts';
import type { Verdict } from '../episodes/verdict/index.ts';
import { UsageError } from '../errors.ts';
import { plainText } from '../replies/phrases.ts';
import { findingOf } from '../replies/verdict-finding.ts';
import { SETTLE_MS } from '../statistics/timeline.ts';
import { recordsBetween, replayRecords } from '../subscriptions/watch/replay.ts';
import {
  callingStrength,
  isSensitivity,
  SENSITIVITIES,
  type WatchSensitivity,
} from '../subscriptions/watch/sensitivity.ts';
import { DEFAULT_EVERY_MS } from '../subscriptions/watch/watch-rule.ts';
import { answerLines } from './answer-lines.ts';
import { type NumbersLine, readNumbersLine } from './numbers-line.ts';

const HELP = `Judges your own numbers: JSON lines in, JSON lines out.

  wafbot judge < numbers.jsonl
  wafbot judge --watch [--sensitivity quiet|normal|sensitive] < numbers.jsonl

A line in:
  id              any text, returned with the answer
  zone            time zone, such as Europe/Berlin
  nowMs           the time of the question; later data is ignored, and the three minutes
                  before it count as still filling in
  startMs         start of the first interval
  intervalMs      length of an interval
  requests        numbers by interval; null if unknown, which is not zero
  attacks         the same for attacks
  categories      the same by category: {"sqli": [...], "cc": [...]}
  fromMs, toMs    the window to judge; by default the last hour before nowMs
  watchFromMs     with --watch: when the watch starts; it runs as soon as an interval has settled

A line out:
  id, level (calm, elevated, surge, not_enough_data), score,
  of the window: observed and expected (attacks), kind ("more visitors" or null),
  of the leading rise or category: onsetMs, endedMs, ongoing, categories [{name, observed, expected}],
  drops [{what, since}]: what has stopped, without minor ones; level leaves them out,
  missing: what of the numbers is missing, in sentences; empty unless it matters,
  sentence (the finding in the words of an answer)
With --watch, which runs every five minutes from watchFromMs to nowMs:
  id, messages [{atMs, kind (new, update, over), level, onsetMs, drop}]; drop is attacks_gone or
  visitors_gone if the message is about something that has stopped, otherwise omitted;
  update: it got worse, or had begun before another alert, in whose thread it's told
An invalid line gets {id, error}, and the exit code is 1.`;

export async function judgeLines(args: readonly string[]): Promise<void> {
  const { help, watch, sensitivity } = readOptions(args);
  if (help) {
    console.log(HELP);
    return;
  }
  await answerLines(
    (value) => {
      const read = readNumbersLine(value);
      return watch ? replay(read, callingStrength(sensitivity)) : judged(read);
    },
    { verb: 'judged', tooLong: 'Send fewer weeks or longer intervals.' },
  );
}

interface JudgeOptions {
  readonly help: boolean;
  readonly watch: boolean;
  readonly sensitivity: WatchSensitivity;
}

function readOptions(args: readonly string[]): JudgeOptions {
  const flag = { type: 'boolean', default: false } as const;
  const words = { type: 'string', default: 'normal' } as const;
  let values: { help: boolean; watch: boolean; sensitivity: string };
  try {
    values = parseArgs({ args: [...args], options: { help: flag, watch: flag, sensitivity: words } }).values;
  } catch {
    throw new UsageError('Unknown arguments. The options are --watch, --sensitivity and --help.');
  }
  const { sensitivity } = values;
  if (!isSensitivity(sensitivity)) throw new UsageError(`--sensitivity must be one of ${SENSITIVITIES.join(', ')}.`);
  return { ...values, sensitivity };
}

async function judged({ numbers, ...asked }: NumbersLine): Promise<object> {
  return judgeWindow(sourcesAt(asked.nowMs, { numbers, zone: asked.zone }), asked);
}

/** The answer to a line, from any numbers and episodes. */
export async function judgeWindow(
  sources: AssessmentSources,
  { id, zone, nowMs, fromMs, toMs }: Pick<NumbersLine, 'id' | 'zone' | 'nowMs' | 'fromMs' | 'toMs'>,
) {
  const range = {
    from: Temporal.Instant.fromEpochMilliseconds(fromMs),
    to: Temporal.Instant.fromEpochMilliseconds(toMs),
  };
  const { verdict, episodes } = await assess(sources, { range, hosts: [], zone });
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  const { title, body, also } = findingOf(verdict, { range, zone, now, hosts: [], episodes });
  const sentence = [title, ...[...body, ...also].map(plainText)].map(ended).join(' ');
  return { id, ...fieldsOf(verdict), sentence };
}

const ended = (words: string): string => (/[.?!]$/.test(words) ? words : `${words}.`);

function fieldsOf(verdict: Verdict) {
  const { level, score, onsetMs, endedMs, totals, expected, moved, drops, kind, completeness: missing } = verdict;
  return {
    level,
    score,
    onsetMs,
    endedMs,
    ongoing: onsetMs === null ? null : endedMs === null,
    observed: totals.attacks,
    expected,
    categories: moved.map((category) => ({
      name: category.name,
      observed: category.observed,
      expected: category.expected,
    })),
    drops: drops.map(({ what, sinceMs }) => ({ what, since: sinceMs })),
    kind,
    missing,
  };
}

/** The recorded numbers as the service would have given them at an instant, with the episodes in them. */
function sourcesAt(nowMs: number, { numbers, zone }: Pick<NumbersLine, 'numbers' | 'zone'>): AssessmentSources {
  const statistics = recordedStatistics(numbers)(nowMs);
  return { statistics, episodes: createEpisodeLog({ statistics, blocks: null, nowMs: () => nowMs, zone }) };
}

async function replay({ id, zone, nowMs, numbers, watchFromMs }: NumbersLine, bar: number): Promise<object> {
  if (watchFromMs === undefined) {
    throw new UsageError('watchFromMs is missing. --watch needs to know when the watch starts.');
  }
  const { episodes } = sourcesAt(nowMs, { numbers, zone });
  const { records } = await recordsBetween(episodes, { fromMs: watchFromMs, toMs: nowMs, hosts: [] });
  const times = { fromMs: firstSettled(numbers, watchFromMs), toMs: nowMs };
  const { messages } = await replayRecords(records, bar, times);
  return { id, messages };
}

/** Evaluations just before an interval settles would miss its numbers until the next one. */
function firstSettled({ startMs, intervalMs }: NumbersLine['numbers'], watchFromMs: number): number {
  const everyMs = Math.min(intervalMs, DEFAULT_EVERY_MS);
  const lateMs = (watchFromMs - startMs - SETTLE_MS) % everyMs;
  return lateMs === 0 ? watchFromMs : watchFromMs + everyMs - (lateMs < 0 ? lateMs + everyMs : lateMs);
}
