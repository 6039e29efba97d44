/** The words of an episode: its heading, its lines, its times of day. */
import type { Host } from '../../commands/grammar/hosts.ts';
import { counted } from '../../commands/replies/phrases.ts';
import type { Line } from '../../commands/replies/reply.ts';
import { LEVEL_NAMES, MEASURED } from '../../commands/replies/verdict-lines.ts';
import { categoryName } from '../../insight/categories.ts';
import { duration, formatCount } from '../../insight/format.ts';
import type { AnomalyKind } from '../../insight/verdict/index.ts';
import type { WatchSensitivity } from './sensitivity.ts';
import { describeLength, describeRule, type WatchRule } from './watch-rule.ts';
import type { News, WatchedEpisode, WatchState } from './watch-state.ts';

/** A watch with its host names resolved. */
export interface ResolvedWatch {
  readonly id: string;
  readonly rule: WatchRule;
  readonly sensitivity: WatchSensitivity;
  readonly hosts: readonly Host[];
  readonly zone: string;
}

export type Times = (ms: number) => string;

/** `14:57`, with the day where it is another than today. */
export function clockOf(zone: string, now: Temporal.Instant): Times {
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  return (ms) => {
    const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    const time = at.toPlainTime().toString({ smallestUnit: 'minute' });
    if (at.toPlainDate().equals(today)) return time;
    return `${at.toPlainDate().toLocaleString('en-GB', { day: 'numeric', month: 'short' })} ${time}`;
  };
}

const lasting = ({ onsetMs }: WatchedEpisode, toMs: number): string =>
  duration(Math.max(toMs - onsetMs, 60_000), MEASURED);

/** `Surge since 14:57 · 4.4× usual · SQL injection`; once it is over, `Over: surge 14:57 – 15:41 · …`. */
export function titleOf(episode: WatchedEpisode, news: News, watch: ResolvedWatch, times: Times): string {
  const { closedMs, onsetMs, endMs, level, worst } = episode;
  const what =
    watch.rule.kind === 'threshold'
      ? capitalised(describeRule(watch.rule))
      : LEVEL_NAMES[closedMs === null ? level : worst];
  const isThreshold = watch.rule.kind === 'threshold';
  const facts = [...ratioWords(episode), ...leadingWords(episode)];
  if (closedMs !== null) {
    return [`Over: ${lowered(what)} ${times(onsetMs)} – ${times(endMs ?? closedMs)}`, ...facts].join(' · ');
  }
  const since = `since ${times(onsetMs)}`;
  switch (news) {
    case 'new':
      return [`${what} ${since}`, ...facts].join(' · ');
    case 'back':
      return [`Back again: ${lowered(what)} ${since}`, ...facts].join(' · ');
    case 'worse':
      return [
        `Worse: ${isThreshold ? `over twice the limit, ${lowered(what)}` : 'now a surge,'} ${since}`,
        ...facts,
      ].join(' · ');
    case 'another kind':
      return [
        `Another kind of attack: ${leadingWords(episode)[0] ?? 'a new category'}`,
        `${lowered(what)} ${since}`,
        ...ratioWords(episode),
      ].join(' · ');
  }
}

const lowered = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function ratioWords({ ratio }: WatchedEpisode): string[] {
  if (ratio === null || !Number.isFinite(ratio) || ratio < 1.1) return [];
  return [`${ratio < 9.95 ? ratio.toFixed(1) : formatCount(Math.round(ratio))}× usual`];
}

function leadingWords({ leading: [first] }: WatchedEpisode): string[] {
  return first === undefined ? [] : [categoryName(first)];
}

/** `2,170 attacks so far, at most 120 a minute (15:12). Still going on.` */
export function countLine(episode: WatchedEpisode, { rule }: ResolvedWatch, times: Times): Line[] {
  const { figures, closedMs, endMs } = episode;
  const over = closedMs !== null;
  const ending = over ? '' : endMs === null ? ' Still going on.' : ` Quiet since ${times(endMs)}; not called over yet.`;
  if (figures === null) {
    return [[over ? `It lasted ${lasting(episode, endMs ?? closedMs)}.` : ending.trim()]];
  }
  const what = rule.kind === 'threshold' && rule.what === 'requests' ? 'request' : 'attack';
  const { total, peak, untilMs } = figures;
  const length = over ? ` in ${lasting(episode, endMs ?? closedMs)}` : ` in ${lasting(episode, untilMs)} so far`;
  const most =
    peak === null
      ? ''
      : `, at most ${formatCount(peak.count)} per ${describeLength(peak.intervalMs)} (${times(peak.endMs - peak.intervalMs)})`;
  return [[{ bold: counted(total, what) }, `${length}${most}.${ending}`]];
}

const SHAPES: Readonly<Record<AnomalyKind, string>> = {
  'more visitors': 'More visitors than usual',
  'targeted attack': 'Looks targeted',
  flood: 'Looks like a flood',
  'false-positive storm': 'Looks like a rule that misfires',
};

const MOST_CATEGORIES = 3;

/** `Looks targeted: SQL injection 820, XSS 456, webshell 12, 3 others 40.` */
export function categoryLine({ shape, figures }: WatchedEpisode): Line[] {
  const all = figures?.categories ?? [];
  if (all.length === 0) return shape === null ? [] : [[`${SHAPES[shape]}.`]];
  const top = all
    .slice(0, MOST_CATEGORIES)
    .map(({ category, count }) => `${categoryName(category)} ${formatCount(count)}`);
  const rest = all.slice(MOST_CATEGORIES);
  const sum = rest.reduce((total, { count }) => total + count, 0);
  const others = rest.length === 0 ? [] : [`${counted(rest.length, 'other')} ${formatCount(sum)}`];
  return [[`${shape === null ? 'By category' : SHAPES[shape]}: ${[...top, ...others].join(', ')}.`]];
}

export function peopleLine(state: WatchState, episode: WatchedEpisode, { zone }: ResolvedWatch, times: Times): Line[] {
  const { acknowledged, backAfter, id, openedMs } = episode;
  const answer = state.feedback.find((each) => each.episode === id);
  const parts: Line[] = [
    ...(backAfter === null
      ? []
      : [[`It was over at ${times(backAfter.endMs)}, after it began at ${times(backAfter.onsetMs)}. `]]),
    ...(acknowledged === null
      ? []
      : [['Acknowledged by ', { user: acknowledged.by }, ` ${afterWords(acknowledged.atMs - openedMs)}. `] as Line]),
    ...(state.snoozed === null
      ? []
      : [
          [
            'Snoozed by ',
            { user: state.snoozed.by },
            ' until ',
            { instant: instantOf(state.snoozed.untilMs), zone },
            '. ',
          ] as Line,
        ]),
    ...(answer === undefined
      ? []
      : [[{ user: answer.by }, answer.says === 'expected' ? ': this was expected. ' : ': tell me earlier. '] as Line]),
  ];
  return parts.length === 0 ? [] : [parts.flat()];
}

export const instantOf = (ms: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(ms);

/** `after 2 minutes`, from the call to the click. */
export const afterWords = (ms: number): string =>
  ms < 60_000 ? 'at once' : `after ${duration(ms, { units: ['day', 'hour', 'minute'], rounding: 'whole' })}`;

export function describeWatch({ rule, sensitivity }: ResolvedWatch): string {
  return `This channel watches for ${describeRule(rule)}${rule.kind === 'verdict' ? ` · sensitivity ${sensitivity}` : ''}`;
}

export function noDataNote({ blindSinceMs }: WatchedEpisode, times: Times): Line[] {
  if (blindSinceMs === null) return [];
  return [[`The service has given no numbers since ${times(blindSinceMs)}; how it stands now is not known.`]];
}
