/** A watch in words beyond its rule: its sensitivity, people's answers, and the preview of its alerts. */
import type { Host } from '../../grammar/hosts.ts';
import { dropName } from '../../replies/episode-lines.ts';
import type { Line, Reply, Table } from '../../replies/reply.ts';
import { clockOf, LEVEL_NAMES, MEASURED } from '../../replies/verdict-lines.ts';
import { duration, formatCount, formatShare } from '../../statistics/format.ts';
import { type FeedbackAnswer, MAX_STEPS, stepsOf } from './feedback.ts';
import { PREVIEW_DAYS, type Preview } from './preview.ts';
import type { ReplayedWatch } from './replay.ts';
import { callingStrength, describeSensitivity, SENSITIVITIES, type WatchSensitivity } from './sensitivity.ts';
import type { PastEpisode, WatchState } from './watch-state.ts';

/** Its sensitivity, then people's answers and their effect. */
export function sensitivityLines(sensitivity: WatchSensitivity, answers: readonly FeedbackAnswer[]): Line[] {
  const line: Line = [
    'Sensitivity ',
    { bold: sensitivity },
    describeSensitivity(sensitivity).slice(sensitivity.length),
    '.',
  ];
  return answers.length === 0 ? [line] : [line, answersLine(answers)];
}

/** Why the watch is silent although something is unusual. */
export function belowLines(
  { below, feedback }: Pick<WatchState, 'below' | 'feedback'>,
  sensitivity: WatchSensitivity,
  zone: string,
  now: Temporal.Instant,
): Line[] {
  if (below == null) return [];
  const hours = (strength: number): string => formatCount(Number((10 ** strength).toPrecision(2)));
  const calls = callingStrength(sensitivity, feedback);
  return [
    [
      `Elevated since ${clockOf(zone, now)(below.sinceMs)}, but below this watch's sensitivity: once in ${hours(below.strength)} hours, it alerts from once in ${hours(calls)}.`,
    ],
  ];
}

/** Who answered what, and the effect. */
function answersLine(answers: readonly FeedbackAnswer[]): Line {
  const said = (says: FeedbackAnswer['says']): number => answers.filter((answer) => answer.says === says).length;
  const parts = [
    ...(said('expected') === 0 ? [] : [`${said('expected')} × “this was expected”`]),
    ...(said('earlier') === 0 ? [] : [`${said('earlier')} × “tell me earlier”`]),
  ];
  const last = answers.at(-1);
  const who: Line = last === undefined ? [] : [', the last by ', { user: last.by }];
  return [`Answers: ${parts.join(', ')}`, ...who, `. ${stepsInWords(stepsOf(answers))}`];
}

/** The combined effect of the answers on the bar. */
export function stepsInWords(steps: number): string {
  if (steps === 0) return 'Answers haven’t changed this watch’s sensitivity.';
  const size = Math.abs(steps);
  const many = size === 1 ? 'one step' : `${size} steps`;
  const limit = size === MAX_STEPS ? ', the maximum' : ` (of at most ${MAX_STEPS})`;
  const way = steps > 0 ? 'less sensitive' : 'more sensitive';
  const effect = steps > 0 ? 'it alerts only about rarer events' : 'it alerts sooner';
  return `This watch is ${many} ${way}${limit}: ${effect}.`;
}

interface PreviewedWatch {
  /** `null` if it doesn't exist yet. */
  readonly id: string | null;
  readonly what: string;
  readonly sensitivity: WatchSensitivity;
  readonly isThreshold: boolean;
  readonly hosts: readonly Host[];
  readonly zone: string;
}

const MAX_ROWS = 10;
const COMPLETE = 0.95;

export function previewReply(preview: Preview, watch: PreviewedWatch, now: Temporal.Instant): Reply {
  const { fromMs, toMs, known, watches } = preview;
  const { id, what, sensitivity, isThreshold, hosts, zone } = watch;
  const alerts = (name: WatchSensitivity): number =>
    watches.get(name)?.messages.filter(({ kind }) => kind !== 'over').length ?? 0;
  const own = alerts(sensitivity);
  const at = Temporal.Instant.fromEpochMilliseconds;
  const headline: Line = isThreshold
    ? ['A watch for ', { bold: what }, '.']
    : [
        `By sensitivity: ${SENSITIVITIES.map((name) => `${name} ${alerts(name) === 0 ? 'never' : timesInWords(alerts(name))}`).join(', ')}.`,
      ];
  const table = alertsTable(preview, clockOf(zone, now), isThreshold);
  return {
    title: `A watch ${isThreshold ? '' : `set to ${sensitivity} `}would ${own === 0 ? 'not have alerted' : `have alerted ${timesInWords(own)}`} in the last ${PREVIEW_DAYS} days`,
    headline,
    body: [
      ...lastAlert(watches.get(sensitivity), clockOf(zone, now)),
      ...(known < COMPLETE ? [[`The service has data for only ${formatShare(known)} of that time.`]] : []),
    ],
    subject: { hosts, range: { from: at(fromMs), to: at(toMs) }, zone },
    ...(table.rows.length === 0 ? {} : { table }),
    actions: isThreshold
      ? []
      : SENSITIVITIES.map((name) => ({
          label: `Watch: ${name}`,
          sentence: id === null ? `watch ${name}${hostWords(hosts)}` : `watch ${name} ${id}`,
          effect: 'thread',
        })),
    quiet: true,
  };
}

const timesInWords = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

const hostWords = (hosts: readonly Host[]): string =>
  hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => `"${name}"`).join(', ')}`;

function lastAlert(watch: ReplayedWatch | undefined, times: (ms: number) => string): Line[] {
  const last = watch?.messages.findLast(({ kind }) => kind !== 'over');
  if (last === undefined) return [];
  const { atMs, onsetMs, level, drop } = last;
  const what = drop === undefined ? LEVEL_NAMES[level] : dropName(drop === 'attacks_gone' ? 'attacks' : 'requests');
  return [[`Last alert: ${times(atMs)}, ${what.toLowerCase()} since ${times(onsetMs)}.`]];
}

/** The newest episodes first, each with the sensitivities that would have alerted. */
function alertsTable({ watches }: Preview, times: (ms: number) => string, isThreshold: boolean): Table {
  const widest = watches.get('sensitive') ?? watches.get('normal');
  const isIn = (name: WatchSensitivity, drop: PastEpisode['drop'], fromMs: number, toMs: number): boolean =>
    watches
      .get(name)
      ?.episodes.some((each) => each.drop === drop && each.onsetMs < toMs && (each.endMs ?? toMs) > fromMs) ?? false;
  const rows = (widest?.episodes ?? [])
    .toReversed()
    .slice(0, MAX_ROWS)
    .map((episode) => {
      const { openedMs, onsetMs, endMs, worst, drop } = episode;
      const untilMs = endMs ?? openedMs;
      const who = SENSITIVITIES.filter((name) => isIn(name, drop, onsetMs, untilMs));
      return [
        times(openedMs),
        drop === undefined ? LEVEL_NAMES[worst] : dropName(drop),
        times(onsetMs),
        duration(Math.max(60_000, untilMs - onsetMs), MEASURED),
        ...(isThreshold ? [] : [who.join(', ')]),
      ];
    });
  const names = ['Alerted at', 'Level', 'Began', 'Lasted', ...(isThreshold ? [] : ['Sensitivity'])];
  return { columns: names.map((name) => ({ name, align: 'left' })), rows };
}
