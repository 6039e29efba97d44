/**
 * What is found in weeks that hold events of every kind: each week is searched once, and gives the messages of a watch and
 * the verdicts on windows at once. Windows are read from the records as they stood at the end of the window.
 */
import type { EpisodeRecord } from '../../src/episodes/episode.ts';
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { BARS } from '../../src/episodes/verdict/index.ts';
import { recordsBetween, replayRecords } from '../../src/subscriptions/watch/replay.ts';
import { callingStrength, SENSITIVITIES } from '../../src/subscriptions/watch/sensitivity.ts';
import type { LabelledStream, StreamEvent } from './streams.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const SETTLE_MS = 3 * MINUTE_MS;

/** What a watch can be set to, and strengths in between and beyond, for the trade-off. */
const WATCHES: readonly (readonly [name: string, strength: number])[] = [
  ...SENSITIVITIES.map((name) => [name, callingStrength(name)] as const),
  ...[1.6, 2, 2.4, 3].map((strength) => [`from ${strength}`, strength] as const),
];

export interface WeekOutcome {
  readonly id: string;
  readonly generator?: string;
  readonly site: string;
  readonly circumstance: string;
  readonly events: readonly (StreamEvent & {
    readonly delay: number | null;
    /** How many messages came while it went on, or soon after. */
    readonly messages: number;
    /** In an answer about an hour in which it could be seen. */
    readonly named: boolean;
    /** With its level; `null` where none is right or wrong. */
    readonly levelRight: boolean | null;
  })[];
  readonly falseAt: readonly { readonly atMs: number; readonly what: string; readonly strange: boolean }[];
  /** Its messages at normal, by what they are about. */
  readonly sent: readonly string[];
  readonly windows: number;
  readonly flagged: number;
  /** What a watch at each sensitivity sends, apart from drops. */
  readonly watched: Readonly<Record<string, { readonly wrong: number; readonly delays: readonly (number | null)[] }>>;
}

/** What a window that ends at an instant would be called, by what was known then; `null` if it would be calm. */
export function calledAs(records: readonly EpisodeRecord[], toMs: number): 'elevated' | 'surge' | null {
  const untilMs = toMs - SETTLE_MS;
  const known = records.flatMap((record) => {
    const { drop, mix, onsetMs, endMs, steps } = record;
    if (drop !== undefined || onsetMs >= untilMs || (endMs ?? toMs) <= toMs - HOUR_MS) return [];
    const step = steps.findLast(({ atMs }) => atMs <= untilMs);
    const isOngoing = endMs === null || untilMs - endMs < 10 * MINUTE_MS;
    const isCalled = (step?.strength ?? 0) >= (isOngoing || mix !== undefined ? BARS.check : BARS.normal);
    return step === undefined || !isCalled ? [] : [{ ...step, isOngoing }];
  });
  const [lead] = known.toSorted((a, b) => Number(b.isOngoing) - Number(a.isOngoing) || b.strength - a.strength);
  return lead?.level ?? null;
}

export function isNamed(records: readonly EpisodeRecord[], { kind }: Pick<StreamEvent, 'kind'>, toMs: number): boolean {
  const gone = kind === 'attacks gone' ? 'attacks' : kind === 'visitors gone' ? 'requests' : undefined;
  if (gone === undefined) return calledAs(records, toMs) !== null;
  return records.some(
    ({ drop, onsetMs, endMs, steps }) =>
      drop === gone &&
      onsetMs < toMs - SETTLE_MS &&
      (endMs ?? toMs) > toMs - HOUR_MS &&
      steps.some(({ atMs }) => atMs <= toMs - SETTLE_MS),
  );
}

/** Minutes until it was told; `null` if it never was. */
function delayOf(sent: readonly number[], event: StreamEvent): number | null {
  const first = sent.find((atMs) => atMs >= event.fromMs && atMs <= event.toMs + 15 * MINUTE_MS);
  return first === undefined ? null : (first - event.fromMs) / MINUTE_MS;
}

export async function weekOutcome(stream: LabelledStream, watches = WATCHES): Promise<WeekOutcome> {
  const { id, site, circumstance, events, fromMs, toMs, zone, numbers, strange = [] } = stream;
  const statistics = recordedStatistics(numbers)(toMs);
  const log = createEpisodeLog({ statistics, blocks: null, nowMs: () => toMs, zone });
  const { records } = await recordsBetween(log, { fromMs, toMs, hosts: [] });
  const { messages } = await replayRecords(records, BARS.normal, { fromMs, toMs });
  const posts = messages.filter(({ kind }) => kind !== 'over');
  const isAbout = (atMs: number, event: StreamEvent): boolean => atMs >= event.fromMs && atMs <= event.toMs + HOUR_MS;
  const isDrop = ({ kind }: StreamEvent): boolean => kind.endsWith('gone');
  const natureAt = (onsetMs: number): string => {
    const record = records.find((each) => each.onsetMs === onsetMs);
    return record?.drop ?? (record?.mix === undefined ? 'rise' : 'mix');
  };
  const falseAt = posts
    .filter(({ atMs }) => !events.some((event) => isAbout(atMs, event)))
    .map(({ atMs, onsetMs, drop }) => ({
      atMs,
      what: drop ?? natureAt(onsetMs),
      strange: strange.some(([from, to]) => atMs >= from && atMs <= to + HOUR_MS),
    }));
  const sent = posts.map(({ onsetMs, drop }) => drop ?? natureAt(onsetMs));
  let windows = 0;
  let flagged = 0;
  for (let ms = fromMs + HOUR_MS; ms <= toMs; ms += HOUR_MS) {
    if (events.some((event) => event.fromMs < ms && event.toMs + 2 * HOUR_MS > ms)) continue;
    windows += 1;
    if (calledAs(records, ms) !== null) flagged += 1;
  }
  const found = events.filter((event) => event.detectable && !isDrop(event));
  const toldAt = async (strength: number) => {
    const { messages: all } = await replayRecords(records, strength, { fromMs, toMs });
    const posted = all.filter(({ kind, drop }) => kind !== 'over' && drop === undefined).map(({ atMs }) => atMs);
    return {
      wrong: posted.filter((atMs) => !events.some((event) => isAbout(atMs, event))).length,
      delays: found.map((event) => delayOf(posted, event)),
    };
  };
  const watched = await Promise.all(watches.map(async ([name, strength]) => [name, await toldAt(strength)] as const));
  return {
    id,
    site,
    circumstance,
    watched: Object.fromEntries(watched),
    events: events.map((event) => {
      const own = posts.filter(({ drop }) => (drop === undefined) !== isDrop(event)).map(({ atMs }) => atMs);
      const atMs = (event.seenMs ?? event.toMs) + SETTLE_MS;
      const named = isNamed(records, event, atMs);
      const isClear = named && event.level != null && !isDrop(event);
      return {
        ...event,
        delay: delayOf(own, event),
        messages: own.filter((each) => each >= event.fromMs && each <= event.toMs + 15 * MINUTE_MS).length,
        named,
        levelRight: isClear ? calledAs(records, atMs) === event.level : null,
      };
    }),
    falseAt,
    sent,
    windows,
    flagged,
  };
}
