/** Quiet hours and maintenance in words: in lists, in an alert, and the summary afterwards. */
import { writeSentence } from '../../replies/follow-ups.ts';
import { counted } from '../../replies/phrases.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import { spanInWords } from '../../time/index.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { describeWindow, type HoldReason, nextOccurrences, type TimeWindow } from '../recurrence/time-window.ts';
import { instantOf, nameOf, plainTitle, type ResolvedWatch } from './episode-words.ts';
import type { HeldAlerts, HoldSummary, PastEpisode, WatchedEpisode, WatchState } from './watch-state.ts';

const NAMES: Readonly<Record<HoldReason, string>> = { quiet: 'quiet hours', maintenance: 'maintenance' };

const byWords = (by: readonly HoldReason[]): string => by.map((why) => NAMES[why]).join(' and ');

const SHOWN_OCCURRENCES = 3;

/** `Next: Sat 14 Mar 02:00 – 04:00, Sat 21 Mar 02:00 – 04:00, …` */
export function nextWords(window: TimeWindow, now: Temporal.Instant): string {
  const nowMs = now.epochMilliseconds;
  const spans = nextOccurrences(window, nowMs, SHOWN_OCCURRENCES).map(({ fromMs, untilMs }) =>
    fromMs <= nowMs
      ? `now until ${spanInWords(fromMs, untilMs, window.zone, now).replace(/^.* – /, '')}`
      : spanInWords(fromMs, untilMs, window.zone, now),
  );
  return `Next: ${spans.join(', ')}.`;
}

/** For lists: what it is, who set it up and when it comes next. */
export const windowLine = (window: TimeWindow, now: Temporal.Instant): Line => [
  { bold: describeWindow(window, now) },
  ', by ',
  { user: window.by, quietly: true },
  `. ${nextWords(window, now)}`,
];

/** In the message of an episode: whether alerts are held back now, or this one was. */
export function heldWords({ held }: WatchState, { heldBack }: WatchedEpisode, zone: string): Line {
  if (held?.now != null) {
    return [`No new messages until `, { instant: instantOf(held.untilMs), zone }, ` (${NAMES[held.now]}). `];
  }
  return heldBack?.reported ? [`Held back at first by ${NAMES[heldBack.by]}. `] : [];
}

/** `Alerts held back until 06:00 (quiet hours)`; nothing if none are. */
export const heldNowWords = ({ held }: WatchState, zone: string): Line[] =>
  held?.now == null
    ? []
    : [['Alerts held back until ', { instant: instantOf(held.untilMs), zone }, ` (${NAMES[held.now]})`]];

const MAX_LINES = 8;

/** The one message after quiet hours or maintenance, about what nobody was alerted to. */
export function summaryReply(summary: HoldSummary, watch: ResolvedWatch, now: Temporal.Instant): Reply {
  const { episodes } = summary;
  const { hosts, zone } = watch;
  const shown = episodes.length === MAX_LINES + 1 ? episodes : episodes.slice(0, MAX_LINES);
  const more = episodes.length - shown.length;
  const lines: Line[] = [
    ...shown.map((episode) => episodeLine(episode, watch, now)),
    ...(more === 0 ? [] : [[`And ${more} more.`]]),
  ];
  const range = rangeOf(summary);
  return {
    ...plainSummaryReply(summary, zone, now),
    level: 'past',
    headline: lines[0] ?? [],
    body: lines.slice(1),
    subject: { hosts, range, zone },
    notes: [['Nobody was alerted to these. All of them are over.']],
    actions: [
      { label: 'Over time', sentence: writeSentence({ verb: 'timeline', range, hosts, zone }), effect: 'thread' },
      { label: 'Who?', sentence: writeSentence({ verb: 'who', range, hosts, zone }), effect: 'thread' },
      { label: 'Quiet hours', sentence: 'quiet list', effect: 'thread' },
    ],
  };
}

/** From the first onset to the end of the last, which may be outside of the time itself. */
function rangeOf({ fromMs, untilMs, episodes }: HoldSummary): { from: Temporal.Instant; to: Temporal.Instant } {
  const onsets = episodes.map(({ onsetMs }) => onsetMs);
  const ends = episodes.map(({ endMs }) => endMs ?? 0);
  const floor = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  return {
    from: instantOf(floor(Math.min(fromMs, ...onsets))),
    to: instantOf(floor(Math.max(untilMs, ...ends) + MINUTE_MS - 1)),
  };
}

/** If the summary can't be built or Slack refuses it. */
export function plainSummaryReply(
  { fromMs, untilMs, by, episodes }: Omit<HeldAlerts, 'now'> & Pick<HoldSummary, 'episodes'>,
  zone: string,
  now: Temporal.Instant,
): Reply {
  const when = spanInWords(fromMs, untilMs, zone, now);
  return { title: `During ${byWords(by)}, ${when}: ${counted(episodes.length, 'alert')} held back` };
}

/** `Surge 02:10 – 02:35 · 4.4× usual · led by SQL injection` */
export function episodeLine(episode: PastEpisode, { rule, zone }: ResolvedWatch, now: Temporal.Instant): Line {
  const { onsetMs, endMs, worst } = episode;
  return [plainTitle(episode, nameOf(rule, worst, episode), spanInWords(onsetMs, endMs ?? onsetMs, zone, now), true)];
}
