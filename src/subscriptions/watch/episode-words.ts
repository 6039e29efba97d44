/** The wording of a watch's messages: heading, progress, and what people did about it. */

import {
  type Acknowledgment,
  type Episode,
  type EpisodeFigures,
  type EpisodeSpan,
  hasBecomeUsual,
} from '../../episodes/episode.ts';
import type { Host } from '../../grammar/hosts.ts';
import {
  acknowledgerWords,
  afterWords,
  dropAdvice,
  dropCounted,
  dropName,
  dropTitle,
  expectedWords,
  kindWords,
  risenIn,
  risenLine,
  usualByNowWords,
  usualWords,
  WHAT_VISITS_ARE,
} from '../../replies/episode-lines.ts';
import { leadingHostWords } from '../../replies/host-lines.ts';
import { counted, loggedLate } from '../../replies/phrases.ts';
import type { Line } from '../../replies/reply.ts';
import { LEVEL_NAMES, lasting } from '../../replies/verdict-lines.ts';
import { categoryName } from '../../statistics/categories.ts';
import { capitalized, duration, formatCount } from '../../statistics/format.ts';
import type { CategoryCount } from '../../statistics/timeline.ts';
import { clockOf, spanInWords, type Times } from '../../time/index.ts';
import type { AlertPolicy } from './alert-policy.ts';
import { isReminder } from './reminders.ts';
import type { WatchSensitivity } from './sensitivity.ts';
import { describeRule, type WatchRule } from './watch-rule.ts';
import type { News, WatchedEpisode, WatchState } from './watch-state.ts';

/** A watch with its host names resolved. */
export interface ResolvedWatch extends AlertPolicy {
  readonly id: string;
  readonly rule: WatchRule;
  readonly sensitivity: WatchSensitivity;
  readonly hosts: readonly Host[];
  readonly zone: string;
}

/** `Surge since 14:57 · 4.4× usual · SQL injection`; once it is over, `Over: surge 14:57 – 15:41 · …`. */
export function titleOf(episode: WatchedEpisode, news: News, watch: ResolvedWatch, now: Temporal.Instant): string {
  const title = findingOf(episode, news, watch, now);
  if (!isUnanswered(episode, news)) return title;
  // A category keeps its capital letter.
  return `Nobody is on it: ${episode.mix === undefined ? lowered(title) : title}`;
}

/** A reminder says so until somebody acknowledges the episode, or it ends. */
const isUnanswered = ({ acknowledged, endMs, closedMs }: WatchedEpisode, news: News): boolean =>
  isReminder(news) && acknowledged === null && (endMs ?? closedMs) === null;

function findingOf(episode: WatchedEpisode, news: News, watch: ResolvedWatch, now: Temporal.Instant): string {
  const times = clockOf(watch.zone, now);
  const { closedMs, onsetMs, level, worst, drop, mix, figures } = episode;
  // Until it's declared over it may come back, but the heading must not say that it's ongoing.
  const endMs = episode.endMs ?? closedMs;
  const isUsual = isUsualByNow(episode, watch);
  const ended = isUsual ? 'Usual by now' : 'Over';
  const until = endMs === null ? null : spanInWords(onsetMs, endMs, watch.zone, now);
  const span = isUsual ? `from ${times(onsetMs)} on` : until;
  const dated = (title: string): string => (closedMs === null ? title : `${ended}: ${lowered(title)}`);
  const again = `${news === 'back' ? 'again ' : ''}since ${times(onsetMs)}`;
  if (drop !== undefined) return dated(dropTitle(drop, figures, span ?? again, span !== null));
  // A category keeps its capital letter.
  if (mix !== undefined) return `${closedMs === null ? '' : 'Over: '}${mixTitle(mix, figures, span ?? again)}`;
  const what = nameOf(watch.rule, span === null ? level : worst);
  const facts = [...usualWords(figures), ...kindWords(episode.leading, span !== null)];
  if (span !== null) {
    return dated([`${what}${watch.rule.kind === 'threshold' ? ',' : ''} ${span}`, ...facts].join(' · '));
  }
  const since = `since ${times(onsetMs)}`;
  switch (news) {
    case 'back':
      return [`${what} again ${since}`, ...facts].join(' · ');
    case 'jump': {
      const { pace = 0, before = 0 } = episode.told;
      const jump = `Jumped to ${formatCount(Math.round(pace))} attacks a minute from ${formatCount(Math.round(before))}`;
      return [jump, `${lowered(what)} ${since}`, ...facts].join(' · ');
    }
    case 'worse':
      return [
        ...(watch.rule.kind === 'threshold'
          ? ['Worse: twice the limit', `${lowered(what)} ${since}`]
          : ['Now a surge', `began ${times(onsetMs)}`]),
        ...facts,
      ].join(' · ');
    default:
      return [`${what} ${since}`, ...facts].join(' · ');
  }
}

/** A limit that is exceeded for days stays exceeded. */
export const isUsualByNow = (episode: WatchedEpisode, { rule }: Pick<ResolvedWatch, 'rule'>): boolean =>
  rule.kind === 'verdict' && hasBecomeUsual(episode);

/** `Webshell unusually high since 12:15 · 41 events, about 2 expected` */
export function mixTitle(category: string, figures: EpisodeFigures | null, when: string): string {
  const title = `${nameOf({ kind: 'verdict' }, 'elevated', { mix: category })} ${when}`;
  if (figures === null) return title;
  const usually = figures.expected === null ? '' : `, ${expectedWords(figures.expected)}`;
  return `${title} · ${counted(figures.total, 'event')}${usually}`;
}

/** `Surge`, the kind of drop, the category, or the exceeded limit: `Attacks over 500 per 15 minutes`. */
export function nameOf(
  rule: WatchRule,
  level: 'elevated' | 'surge',
  { drop, mix }: Pick<Episode, 'drop' | 'mix'> = {},
): string {
  if (drop !== undefined) return dropName(drop);
  if (mix !== undefined) return `${categoryName(mix)} unusually high`;
  return rule.kind === 'threshold' ? capitalized(describeRule(rule)) : LEVEL_NAMES[level];
}

const lowered = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** `Ongoing at 15:32: 2,170 attacks in 33 minutes, about 490 expected, peak 120 per minute at 15:12.` */
export function courseLine(episode: WatchedEpisode, { rule, zone }: ResolvedWatch, times: Times): Line[] {
  const { figures, closedMs, endMs, onsetMs } = episode;
  const over = closedMs !== null;
  const back = over || endMs === null ? '' : ` Back to normal since ${times(endMs)}; closes if it stays that way.`;
  const ending = isUsualByNow(episode, { rule }) ? usualByNowWords(episode) : back;
  if (figures === null)
    return [[over ? `It lasted ${lasting((endMs ?? closedMs) - onsetMs)}.` : ending.trim() || 'Still ongoing.']];
  // Slack doesn't show when a message was edited.
  const asOf = over ? '' : `${endMs === null ? 'Ongoing at' : 'As of'} ${times(figures.untilMs)}: `;
  if (episode.drop !== undefined) {
    const length = lasting((over ? (endMs ?? closedMs) : figures.untilMs) - onsetMs);
    const advice = over || endMs !== null ? ending : ` ${dropAdvice(episode.drop, episode.figures)}`;
    return [[asOf, ...dropCounted(episode.drop, figures, length), advice]];
  }
  // A single category has "events", as in every other answer.
  const isOfRequests = rule.kind === 'threshold' && rule.what === 'requests';
  const what = isOfRequests ? 'request' : episode.mix === undefined ? 'attack' : 'event';
  const span = { onsetMs, endMs: over ? (endMs ?? closedMs) : null };
  return [[asOf, ...countLine(span, figures, zone, what), ending]];
}

/** `2,170 attacks in 33 minutes, about 490 expected, peak 120 per minute at 15:12.` */
function countLine(
  { onsetMs, endMs }: EpisodeSpan,
  { total, expected, peak, untilMs }: EpisodeFigures,
  zone: string,
  what: 'attack' | 'request' | 'event',
): Line {
  const times = clockOf(zone, instantOf(onsetMs));
  const length = lasting((endMs ?? untilMs) - onsetMs);
  const most =
    peak === null
      ? ''
      : `, peak ${formatCount(peak.count)} per ${duration(peak.intervalMs, { bareOne: true })} at ${times(peak.endMs - peak.intervalMs)}`;
  // Records of the previous version don't have it.
  const usually = expected == null ? '' : `, ${expectedWords(expected)}`;
  return [{ bold: counted(total, what) }, ` in ${length}${usually}${most}.`];
}

const MAX_CATEGORIES = 3;

/** `Above usual: SQL injection 820 (59 expected), XSS 456 (43).`; without expected counts, all categories. */
export function categoryLine({ drop, mix, figures, leading, on = [] }: WatchedEpisode): Line[] {
  if (drop !== undefined) return [];
  if (mix !== undefined) {
    const rule = 'Unusual by its own history. The total may still look normal.';
    const [place = []] = risenLine([], leadingHostWords(on, 'events'));
    return [[...place, place.length === 0 ? rule : ` ${rule}`]];
  }
  const categories = figures?.categories ?? [];
  const risen = figures === null ? [] : risenIn({ figures, leading });
  if (risen.length > 0 || on.length > 0) return risenLine(risen, leadingHostWords(on));
  if (categories.length === 0) return [];
  // A category that the heading names comes first.
  const isFirst = ({ category }: CategoryCount): number => (leading.length === 1 && category === leading[0] ? 1 : 0);
  const ordered = categories.toSorted((a, b) => isFirst(b) - isFirst(a));
  const named = ordered
    .slice(0, MAX_CATEGORIES)
    .map(({ category, count }) => `${categoryName(category)} ${formatCount(count)}`);
  const rest = ordered.slice(MAX_CATEGORIES);
  const sum = rest.reduce((total, { count }) => total + count, 0);
  const others = rest.length === 0 ? [] : [`${counted(rest.length, 'other')} ${formatCount(sum)}`];
  return [[`By category: ${[...named, ...others].join(', ')}.`]];
}

/** The previous episode, who is doing what about it, and whether alerts are held back. */
export function peopleLine(
  state: WatchState,
  episode: WatchedEpisode,
  { zone }: ResolvedWatch,
  now: Temporal.Instant,
  held: Line = [],
): Line[] {
  const { acknowledged, backAfter, id, openedMs, onsetMs } = episode;
  const times = clockOf(zone, now);
  const answer = state.feedback.find((each) => each.episode === id);
  const returns = state.past.filter((each) => each.id === id);
  const [firstReturn] = returns;
  const parts: Line[] = [
    ...(backAfter === null
      ? []
      : [
          [
            `Last time: ${spanInWords(backAfter.onsetMs, backAfter.endMs, zone, now)}, then calm until ${times(onsetMs)}. `,
          ],
        ]),
    ...(firstReturn === undefined
      ? []
      : [[`It has come back ${returns.length + 1} times since ${times(firstReturn.onsetMs)}. `]]),
    ...(acknowledged === null ? [] : [[...acknowledgedWords(episode, acknowledged), ' ']]),
    ...outdatedWords(episode),
    ...(episode.outdated?.acknowledgedBy === undefined && isUnanswered(episode, state.message?.news ?? 'new')
      ? [[`Nobody has acknowledged it for ${lasting(now.epochMilliseconds - openedMs)}. `]]
      : []),
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
    ...(held.length === 0 ? [] : [held]),
    ...(answer === undefined
      ? []
      : [[{ user: answer.by }, answer.says === 'expected' ? ': this was expected. ' : ': tell me earlier. '] as Line]),
  ];
  return parts.length === 0 ? [] : [parts.flat()];
}

/** `Acknowledged by @maya 3 minutes later.`, `Assigned to @diego by @maya 10 minutes later.` */
export function acknowledgedWords({ openedMs }: Pick<WatchedEpisode, 'openedMs'>, acknowledged: Acknowledgment): Line {
  const { by, atMs, assignedBy } = acknowledged;
  const when = ` ${afterWords(atMs - openedMs)}.`;
  if (assignedBy === undefined) return ['Acknowledged by ', ...acknowledgerWords(acknowledged), when];
  return ['Assigned to ', { user: by }, ' by ', { user: assignedBy }, when];
}

/** The acknowledgment and snooze that ended because it got worse. */
function outdatedWords({ outdated = {} }: WatchedEpisode): Line[] {
  const { acknowledgedBy: by, acknowledgedVia: via, snoozedBy } = outdated;
  return [
    ...(by === undefined
      ? []
      : [
          [
            ...acknowledgerWords({ by, ...(via && { via }) }),
            ' acknowledged it before it got worse; nobody has since. ',
          ],
        ]),
    ...(snoozedBy === undefined ? [] : [['The snooze by ', { user: snoozedBy }, ' has ended: it got worse. '] as Line]),
  ];
}

export const instantOf = (ms: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(ms);

export function describeWatch({ rule, sensitivity }: ResolvedWatch): string {
  return `This channel watches for ${describeRule(rule)}${rule.kind === 'verdict' ? ` · sensitivity: ${sensitivity}` : ''}`;
}

export function noDataNote({ blindSinceMs }: WatchedEpisode, times: Times): Line[] {
  if (blindSinceMs === null) return [];
  return [[`No data from the service since ${times(blindSinceMs)}, so the current state is unknown.`]];
}

/** What's counted, and what the hatched part of the chart means. */
export function countedNote({ drop, figures, closedMs }: WatchedEpisode, times: Times): Line[] {
  const visits = drop === 'requests' ? [[WHAT_VISITS_ARE]] : [];
  if (figures === null || closedMs !== null) return visits;
  const what = drop === 'requests' ? 'requests' : 'attacks';
  return [...visits, [`Counted up to ${times(figures.untilMs)}: ${loggedLate(what)}.`]];
}
