/** The report of `incident` as a document: the finding, a timeline of who did what, the numbers and their basis. */

import {
  type EpisodeEvent,
  type EpisodeRecord,
  hasBecomeUsual,
  isReportOf,
  natureOf,
  type ReportedEpisode,
} from '../episodes/episode.ts';
import { leadOf } from '../episodes/episode-log.ts';
import { whatWords } from '../replies/episode-account.ts';
import { acknowledgerWords, usualByNowWords } from '../replies/episode-lines.ts';
import { subjectWords } from '../replies/phrases.ts';
import type { Line, Reply, ReportDocument } from '../replies/reply.ts';
import { LEVEL_NAMES, lasting } from '../replies/verdict-lines.ts';
import { capitalized, duration, formatCount } from '../statistics/format.ts';
import { zoned } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import type { WindowContext } from './context.ts';

interface Incident {
  readonly episodes: readonly EpisodeRecord[];
  readonly reported: readonly ReportedEpisode[];
}

/** Every number in it is one that the answer or its *Why?* shows. */
export function incidentDocument(
  reply: Reply,
  { limits, ...incident }: Incident & { readonly limits: readonly Line[] },
  context: WindowContext,
): ReportDocument {
  const { title, headline = [], body = [], also = [], subject, why, attachments = [] } = reply;
  const { zone, now, range, sentence, project, question } = context;
  const numbers = why?.more?.numbers;
  const files = attachments.map(({ name }) => name).join(', ');
  const isAlone = question.withoutFiles === true;
  const course = timelineOf(incident, zone);
  return {
    name: `waf-incident-${range.from.toString({ smallestUnit: 'minute' }).replace(/[:Z]/g, '')}`,
    title: `Incident report: ${title}`,
    asCanvas: sentence.canvas,
    parts: [
      {
        heading: 'Summary',
        lines: [headline, ...body, ...also],
        list: [
          ...(subject === undefined ? [] : [[subjectWords({ ...subject, project: project.label ?? undefined })]]),
          ['Written ', { instant: now, zone }, ' by wafbot.'],
        ],
      },
      {
        heading: 'Timeline',
        lines: course.length === 0 ? [['Nothing unusual was found in this window.']] : [[`All times are ${zone}.`]],
        list: course,
      },
      {
        heading: 'Numbers',
        lines: numbers?.lines ?? [],
        ...(numbers?.table !== undefined && { table: numbers.table }),
      },
      { heading: 'How it was judged', list: why?.lines ?? [] },
      {
        heading: isAlone ? 'Limits' : 'Limits and files',
        list: [...limits, ...(isAlone ? [] : [[`The chart is in the answer, and beside this report: ${files}.`]])],
      },
    ].filter(({ lines = [], list = [] }) => lines.length + list.length > 0),
  };
}

interface TimelineEntry {
  readonly atMs: number;
  readonly says: Line;
}

/** What the numbers say and what people did, in order. */
function timelineOf({ episodes, reported }: Incident, zone: string): Line[] {
  const lead = leadOf(episodes);
  const reports = episodes
    .flatMap((episode) => reported.find((each) => isReportOf(each, episode)) ?? [])
    .toSorted((a, b) => a.onsetMs - b.onsetMs);
  // Several of them may be one to the watch: the last one has all that was done about them.
  const responses = new Map(reports.map((report) => [`${report.watch} ${report.id}`, responsesTo(report)]));
  return [...episodes.flatMap((episode) => courseOf(episode, episode === lead)), ...[...responses.values()].flat()]
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, says }): Line => [{ bold: timeOf(atMs, zone) }, ' ', ...says]);
}

function timeOf(ms: number, zone: string): string {
  const at = zoned(ms, zone);
  return `${at.toPlainDate()} ${at.toPlainTime().toString({ smallestUnit: 'minute' })}`;
}

/** With its peak if it's the leading one, as in the answer. */
function courseOf(episode: EpisodeRecord, isLead: boolean): TimelineEntry[] {
  const { onsetMs, endMs, worst, figures } = episode;
  const nature = natureOf(episode);
  const what = nature === 'rise' ? `${LEVEL_NAMES[worst]}: ${whatWords(episode)}` : capitalized(whatWords(episode));
  const { peak } = figures;
  const unit = peak === null || peak.intervalMs === MINUTE_MS ? 'per minute' : `in ${duration(peak.intervalMs)}`;
  return [
    { atMs: onsetMs, says: ['Began. ', `${what}.`] },
    ...(peak === null || !isLead
      ? []
      : [{ atMs: peak.endMs - peak.intervalMs, says: [`Peak: ${formatCount(peak.count)} ${unit}.`] }]),
    ...(endMs === null
      ? []
      : [
          { atMs: endMs, says: [hasBecomeUsual(episode) ? usualByNowWords(episode).trim() : 'Ended, by the numbers.'] },
        ]),
  ];
}

/** What this channel's watch and the people here did. */
function responsesTo({ openedMs, acknowledged, history = [] }: ReportedEpisode): TimelineEntry[] {
  const isNoted = history.some(({ what }) => what === 'acknowledged' || what === 'assigned');
  // Earlier versions only stored the last acknowledgment.
  const events: readonly EpisodeEvent[] =
    acknowledged === null || isNoted ? history : [...history, { what: 'acknowledged', ...acknowledged }];
  return [
    { atMs: openedMs, says: ['The watch alerted this channel.'] },
    ...events.map((event) => ({ atMs: event.atMs, says: eventWords(event) })),
    ...(acknowledged === null && !isNoted ? [{ atMs: openedMs, says: ['Nobody has acknowledged it.'] }] : []),
  ];
}

function eventWords({ what, by, via, to, untilMs, atMs }: EpisodeEvent): Line {
  const who: Line = by === undefined ? [] : [' by ', ...acknowledgerWords({ by, ...(via && { via }) })];
  switch (what) {
    case 'worse':
      return ['It became a surge.'];
    case 'acknowledged':
      return ['Acknowledged', ...who, '.'];
    case 'assigned':
      return to === undefined ? ['Assigned', ...who, '.'] : ['Assigned to ', { user: to }, ...who, '.'];
    case 'reminded':
      return ['Nobody had acknowledged it, so it alerted again.'];
    case 'unacknowledged':
      return ['It got worse, so the acknowledgment', ...who, ' no longer held.'];
    case 'snoozed':
      return [`Snoozed for ${lasting(Math.max(MINUTE_MS, (untilMs ?? atMs) - atMs))}`, ...who, '.'];
    case 'awake':
      return ['The snooze ended.'];
    case 'over':
      return ['The watch declared it over.'];
    default:
      return [`${what}`, ...who, '.'];
  }
}
