/** A watch in words beyond its rule: its sensitivity, people's answers, and the preview of its alerts. */

import { byNature } from '../../episodes/episode.ts';
import { BARS, FEEDBACK } from '../../episodes/verdict/index.ts';
import type { Host } from '../../grammar/hosts.ts';
import { dropWords } from '../../replies/episode-lines.ts';
import type { Line, Reply, Table } from '../../replies/reply.ts';
import { MEASURED } from '../../replies/verdict-lines.ts';
import { categoryName } from '../../statistics/categories.ts';
import { duration, formatCount, formatShare, lowered } from '../../statistics/format.ts';
import { clockOf, spanInWords } from '../../time/index.ts';
import { nameOf } from './episode-words.ts';
import { PREVIEW_DAYS, type Preview } from './preview.ts';
import type { ReplayedWatch } from './replay.ts';
import {
  callingStrength,
  describeSensitivity,
  type FeedbackAnswer,
  MAX_STEPS,
  SENSITIVITIES,
  stepsOf,
  type WatchSensitivity,
} from './sensitivity.ts';
import { courseOf, coursesOf, isOpen, type PastEpisode, type WatchRecord } from './watch-state.ts';

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
  record: WatchRecord,
  sensitivity: WatchSensitivity,
  zone: string,
  now: Temporal.Instant,
): Line[] {
  const bar = callingStrength(sensitivity, record.feedback);
  return coursesOf(record).flatMap((course): Line[] => {
    const state = courseOf(record, course);
    const { below } = state;
    if (below == null || isOpen(state)) return [];
    const { sinceMs, strength } = below;
    const since = `since ${clockOf(zone, now)(sinceMs)}`;
    const tooWeak = `but below this watch’s sensitivity: this happens once in ${hoursOf(strength)} hours, and it alerts from ${onceIn(bar)}`;
    const why = byNature(below, {
      rise: () => `Elevated ${since}, ${tooWeak}`,
      mix: (category) => {
        const what = `More ${categoryName(category)} than usual ${since}`;
        // How rare small categories and weak takeovers are isn't measured.
        return strength <= BARS.normal ? `${what}: ${unclearWords(strength)}` : `${what}, ${tooWeak}`;
      },
      drop: (what) => `${dropWords(what).name} ${since}, but not for long enough to alert`,
    });
    return [[`${why}.`]];
  });
}

const unclearWords = (strength: number): string =>
  strength < FEEDBACK.least
    ? 'waiting up to five minutes to see whether it’s part of a rise'
    : 'not clear enough for this watch’s sensitivity';

const hoursOf = (strength: number): string => formatCount(Number((10 ** strength).toPrecision(2)));
const onceIn = (strength: number): string => `once in ${hoursOf(strength)}`;

/** What an answer has changed: `It now alerts on what happens once in 200 hours or less often (before: once in 100).` */
export function changeInWords(before: number, after: number): string {
  if (before === after) return `It still alerts on what happens ${onceIn(after)} hours or less often.`;
  return `It now alerts on what happens ${onceIn(after)} hours or less often (before: ${onceIn(before)}).`;
}

/** Who answered what, and the effect. */
function answersLine(answers: readonly FeedbackAnswer[]): Line {
  const said = (says: FeedbackAnswer['says']): number => answers.filter((answer) => answer.says === says).length;
  const parts = [
    ...(said('expected') === 0 ? [] : [`${said('expected')} × “this was expected”`]),
    ...(said('earlier') === 0 ? [] : [`${said('earlier')} × “tell me earlier”`]),
  ];
  const last = answers.at(-1);
  const who: Line = last === undefined ? [] : [', the last by ', { user: last.by, quietly: true }];
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
    watches.get(name)?.messages.filter(({ kind }) => kind === 'new').length ?? 0;
  const own = alerts(sensitivity);
  const at = Temporal.Instant.fromEpochMilliseconds;
  const headline: Line = isThreshold
    ? ['A watch for ', { bold: what }, '.']
    : [
        `By sensitivity: ${SENSITIVITIES.map((name) => `${name} ${alerts(name) === 0 ? 'never' : timesInWords(alerts(name))}`).join(', ')}.`,
      ];
  const table = alertsTable(preview, watch, now);
  return {
    title: `A watch ${isThreshold ? '' : `set to ${sensitivity} `}would ${own === 0 ? 'not have alerted' : `have alerted ${timesInWords(own)}`} in the last ${PREVIEW_DAYS} days`,
    headline,
    body: [
      ...lastAlert(watches.get(sensitivity), zone, now),
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

function lastAlert(watch: ReplayedWatch | undefined, zone: string, now: Temporal.Instant): Line[] {
  const newest = watch?.episodes.findLast(({ firstTs }) => firstTs !== null);
  // Of several pulses in one message, the first is what it alerted on.
  const last = watch?.episodes.find(({ id }) => id === newest?.id);
  if (last === undefined) return [];
  const { openedMs, onsetMs, endMs } = last;
  const times = clockOf(zone, now);
  const when = endMs === null ? `since ${times(onsetMs)}` : spanInWords(onsetMs, endMs, zone, now);
  return [[`Last alert: ${times(openedMs)}, ${lowered(levelOf(last))} ${when}.`]];
}

const levelOf = (episode: PastEpisode): string => nameOf({ kind: 'verdict' }, episode.worst, episode);

/** The newest episodes first, each with the sensitivities that would have alerted. */
function alertsTable({ watches, toMs }: Preview, watch: PreviewedWatch, now: Temporal.Instant): Table {
  const { isThreshold, sensitivity, zone } = watch;
  const times = clockOf(zone, now);
  const widest = watches.get('sensitive') ?? watches.get('normal');
  const alertOf = (name: WatchSensitivity, { record, onsetMs }: PastEpisode): PastEpisode | undefined =>
    watches.get(name)?.episodes.find((each) => each.record === record && each.onsetMs === onsetMs);
  const rows = (widest?.episodes ?? [])
    .toReversed()
    .slice(0, MAX_ROWS)
    .map((episode) => {
      const { onsetMs, endMs } = episode;
      const who = SENSITIVITIES.filter((name) => alertOf(name, episode) !== undefined);
      const own = alertOf(sensitivity, episode) ?? episode;
      return [
        own.firstTs === null ? 'held back' : own.openedMs < onsetMs ? 'only edited' : times(own.openedMs),
        levelOf(episode),
        times(onsetMs),
        `${duration(Math.max(60_000, (endMs ?? toMs) - onsetMs), MEASURED)}${endMs === null ? ' so far' : ''}`,
        ...(isThreshold ? [] : [who.join(', ')]),
      ];
    });
  const names = ['Alerted at', 'What', 'Began', 'Lasted', ...(isThreshold ? [] : ['Sensitivity'])];
  return { columns: names.map((name) => ({ name, align: 'left' })), rows };
}
