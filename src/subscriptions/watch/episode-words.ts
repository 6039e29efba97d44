/** The wording of a watch's messages: heading, progress, and what people did about it. */

import {
  type Acknowledgment,
  byNature,
  type Episode,
  type EpisodeFigures,
  type EpisodeSpan,
  hasBecomeUsual,
  type Natured,
  natureOf,
  traitsOf,
} from '../../episodes/episode.ts';
import type { Host } from '../../grammar/hosts.ts';
import { countNotes } from '../../replies/episode-account.ts';
import {
  acknowledgerWords,
  afterWords,
  dropTitle,
  dropWords,
  expectedAfter,
  kindWords,
  risenIn,
  risenLine,
  usualByNowWords,
  usualWords,
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
  return `Nobody is on it: ${within(episode, title)}`;
}

/** A reminder says so until somebody acknowledges the episode, or it ends. */
const isUnanswered = ({ acknowledged, endMs, closedMs }: WatchedEpisode, news: News): boolean =>
  isReminder(news) && acknowledged === null && (endMs ?? closedMs) === null;

function findingOf(episode: WatchedEpisode, news: News, watch: ResolvedWatch, now: Temporal.Instant): string {
  const times = clockOf(watch.zone, now);
  const { closedMs, onsetMs, level, worst, figures } = episode;
  // Until it's declared over it may come back, but the heading must not say that it's ongoing.
  const endMs = episode.endMs ?? closedMs;
  const isUsual = isUsualByNow(episode, watch);
  const ended = isUsual ? 'Usual by now' : 'Over';
  const until = endMs === null ? null : spanInWords(onsetMs, endMs, watch.zone, now);
  const span = isUsual ? `from ${times(onsetMs)} on` : until;
  const what = nameOf(watch.rule, span === null ? level : worst, episode);
  if (span !== null || natureOf(episode) !== 'rise') {
    const again = `${news === 'back' ? 'again ' : ''}since ${times(onsetMs)}`;
    const name = watch.rule.kind === 'threshold' ? `${what},` : what;
    const title = plainTitle(episode, name, span ?? again, span !== null);
    return closedMs === null ? title : `${ended}: ${within(episode, title)}`;
  }
  const facts = [...usualWords(figures), ...kindWords(episode.leading, false)];
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

/** `Surge 02:10 – 02:35 · 4.4× usual · led by SQL injection`, `Webshell unusually high since 12:15 · 41 events, about 2 expected` */
export function plainTitle(episode: Episode, name: string, when: string, isOver: boolean): string {
  const { figures, leading } = episode;
  const title = `${name} ${when}`;
  return byNature(episode, {
    rise: () => [title, ...usualWords(figures), ...kindWords(leading, isOver)].join(' · '),
    mix: () => {
      const counts = figures && `${counted(figures.total, 'event')}${expectedAfter(figures.expected)}`;
      return counts === null ? title : `${title} · ${counts}`;
    },
    drop: (what) => dropTitle(what, figures, when, isOver),
  });
}

/** `Surge`, the kind of drop, the category, or the exceeded limit: `Attacks over 500 per 15 minutes`. */
export const nameOf = (rule: WatchRule, level: 'elevated' | 'surge', episode: Natured = {}): string =>
  byNature(episode, {
    rise: () => (rule.kind === 'threshold' ? capitalized(describeRule(rule)) : LEVEL_NAMES[level]),
    mix: (category) => `${categoryName(category)} unusually high`,
    drop: (what) => dropWords(what).name,
  });

/** A title after other words: a category keeps its capital letter. */
const within = ({ mix }: Natured, title: string): string => (mix === undefined ? lowered(title) : title);

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
  const isOfRequests = rule.kind === 'threshold' && rule.what === 'requests';
  const what = isOfRequests ? 'request' : traitsOf(episode).unit;
  const span = { onsetMs, endMs: over ? (endMs ?? closedMs) : null };
  const stopped = over || endMs !== null ? undefined : episode.drop;
  const advice = stopped === undefined ? ending : ` ${dropWords(stopped, figures).advice}`;
  return [[asOf, ...countLine(span, figures, zone, what), advice]];
}

/** `2,170 attacks in 33 minutes, about 490 expected, peak 120 per minute at 15:12.` */
function countLine(
  { onsetMs, endMs }: EpisodeSpan,
  { total, expected, peak, untilMs }: EpisodeFigures,
  zone: string,
  what: string,
): Line {
  const times = clockOf(zone, instantOf(onsetMs));
  const length = lasting((endMs ?? untilMs) - onsetMs);
  const most =
    peak === null
      ? ''
      : `, peak ${formatCount(peak.count)} per ${duration(peak.intervalMs, { bareOne: true })} at ${times(peak.endMs - peak.intervalMs)}`;
  return [{ bold: counted(total, what) }, ` in ${length}${expectedAfter(expected)}${most}.`];
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

/** `also LFI unusually high, more attacks in all`: what has joined its alert. */
export function alsoWords({ also = [] }: WatchedEpisode): string[] {
  const names = also.map(({ mix, level, isOver }) => {
    const all = level === 'surge' ? 'a surge of all attacks' : 'more attacks in all';
    const name = mix === undefined ? all : within({ mix }, nameOf({ kind: 'verdict' }, level, { mix }));
    return isOver ? `${name} (over)` : name;
  });
  return names.length === 0 ? [] : [`also ${names.join(', ')}`];
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
  const returns = [...state.past.filter((each) => each.id === id), episode].filter((each) => each.backAfter != null);
  const [firstReturn, secondReturn] = returns;
  const parts: Line[] = [
    ...(backAfter === null
      ? []
      : [
          [
            `Last time: ${spanInWords(backAfter.onsetMs, backAfter.endMs, zone, now)}, then calm until ${times(onsetMs)}. `,
          ],
        ]),
    ...(firstReturn === undefined || secondReturn === undefined
      ? []
      : [[`It has come back ${returns.length} times since ${times(firstReturn.onsetMs)}. `]]),
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
export function countedNote(episode: WatchedEpisode, times: Times): readonly Line[] {
  const { figures, closedMs } = episode;
  const notes = countNotes(episode);
  if (figures === null || closedMs !== null) return notes;
  return [...notes, [`Counted up to ${times(figures.untilMs)}: ${loggedLate(traitsOf(episode).series)}.`]];
}
