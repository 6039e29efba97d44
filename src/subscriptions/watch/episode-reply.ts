/** The one message of an episode: how it stands now, or, once it is over, what it was. */
import { timelineChart } from '../../charts/spec/index.ts';
import { type Host, quoteName } from '../../commands/grammar/hosts.ts';
import { writeSentence } from '../../commands/replies/follow-ups.ts';
import { counted, onHosts } from '../../commands/replies/phrases.ts';
import type { Action, Line, Piece, Reply } from '../../commands/replies/reply.ts';
import { KIND_NAMES, LEVEL_NAMES, MEASURED } from '../../commands/replies/verdict-lines.ts';
import { categoryName } from '../../insight/categories.ts';
import { duration, formatCount } from '../../insight/format.ts';
import type { Evaluation } from './evaluate.ts';
import { describeLength, describeRule, type WatchRule } from './watch-rule.ts';
import type { Episode, WatchState } from './watch-state.ts';

/** A watch with its host names resolved. */
export interface ResolvedWatch {
  readonly id: string;
  readonly rule: WatchRule;
  readonly hosts: readonly Host[];
  readonly zone: string;
}

export function episodeReply(state: WatchState, episode: Episode, watch: ResolvedWatch, evaluation: Evaluation): Reply {
  const { hosts, zone } = watch;
  const over = episode.closedMs !== null;
  const title = over ? `Calm again${onHosts(hosts)}` : `${LEVEL_NAMES[episode.level]}${onHosts(hosts)}`;
  return {
    title,
    headline: headline(episode, watch),
    body: [
      ...whenLines(episode, zone),
      ...peakLine(episode, watch),
      ...(episode.shape === null ? [] : [['Looks like ', { bold: KIND_NAMES[episode.shape] }, '.'] as Line]),
      ...categoryLine(episode),
      ...peopleLines(state, episode, zone),
      ...(over ? [closingLine(episode, zone)] : []),
    ],
    ...chartOf(title, watch, evaluation),
    notes: [[{ italic: `This channel watches for ${describeRule(watch.rule)}.` }], ...noDataNote(episode, zone)],
    actions: actionsFor(episode, watch, evaluation),
  };
}

/** In place of a message that could not be made, or that Slack refuses: what people must know, in the simplest words. */
export function plainEpisodeReply({ level, closedMs }: Episode, { id, rule }: ResolvedWatch): Reply {
  return {
    title: closedMs === null ? LEVEL_NAMES[level] : 'Calm again',
    headline: [
      `This channel watches for ${describeRule(rule)}`,
      closedMs === null ? ', and that is the case now. ' : ', and that is over. ',
      'The details cannot be shown; the reason is in the log.',
    ],
    actions: [{ label: 'Pause this watch', sentence: `watch pause ${id}`, effect: 'thread' }],
  };
}

function headline({ worst, total, onsetMs, closedMs, countedToMs, returns }: Episode, { rule }: ResolvedWatch): Line {
  const lasted = duration(Math.max((closedMs ?? countedToMs) - onsetMs, 60_000), MEASURED);
  const again = returns === 0 ? '' : returns === 1 ? ', came back once' : `, came back ${returns} times`;
  const what = rule.kind === 'threshold' && rule.what === 'requests' ? 'request' : 'attack';
  const sum: Line = total === 0 ? [] : [': ', { bold: counted(total, what) }];
  const state = closedMs === null ? ` for ${lasted} so far` : `, over after ${lasted}`;
  return [{ bold: LEVEL_NAMES[worst] }, `${state}${again}`, ...sum, '.'];
}

const at = (ms: number, zone: string): Piece => ({ instant: Temporal.Instant.fromEpochMilliseconds(ms), zone });

function whenLines({ onsetMs, closedMs }: Episode, zone: string): Line[] {
  return closedMs === null ? [['Since ', at(onsetMs, zone), '.']] : [];
}

function peakLine({ peak }: Episode, { rule, zone }: ResolvedWatch): Line[] {
  if (peak === null) return [];
  const limit = rule.kind === 'threshold' ? ` (the limit is ${formatCount(rule.over)})` : '';
  const until = at(peak.endMs, zone);
  return [
    [
      'Peak: ',
      { bold: formatCount(peak.count) },
      ` per ${describeLength(peak.intervalMs)}${limit}, until `,
      until,
      '.',
    ],
  ];
}

function categoryLine({ categories }: Episode): Line[] {
  if (categories.length === 0) return [];
  const words = categories.map(
    ({ category, count, isNew }) => `${categoryName(category)} ${formatCount(count)}${isNew ? ' (new)' : ''}`,
  );
  return [['Categories so far: ', words.join(', '), '.']];
}

function peopleLines({ snoozed }: WatchState, { acknowledged }: Episode, zone: string): Line[] {
  return [
    ...(acknowledged === null
      ? []
      : [['Acknowledged by ', { user: acknowledged.by }, ', ', at(acknowledged.atMs, zone), '.'] as Line]),
    ...(snoozed === null
      ? []
      : [['Snoozed by ', { user: snoozed.by }, ' until ', at(snoozed.untilMs, zone), '.'] as Line]),
  ];
}

function closingLine({ onsetMs, closedMs }: Episode, zone: string): Line {
  return [{ bold: 'Calm again.' }, ' It was from ', at(onsetMs, zone), ' to ', at(closedMs ?? onsetMs, zone), '.'];
}

function noDataNote({ blindSinceMs }: Episode, zone: string): Line[] {
  if (blindSinceMs === null) return [];
  return [['The service has given no numbers since ', at(blindSinceMs, zone), '; how it stands now is not known.']];
}

function chartOf(
  title: string,
  { hosts, zone }: ResolvedWatch,
  { timeline, verdict }: Evaluation,
): Pick<Reply, 'chart'> {
  if (timeline === null || timeline.points.length === 0) return {};
  const marks = verdict === null ? {} : { baseline: { points: verdict.band } };
  const onset = verdict?.onsetMs ?? null;
  return {
    chart: timelineChart({
      timeline,
      zone,
      title,
      hosts,
      ...marks,
      ...(onset !== null && onset >= timeline.fromMs ? { onsetMs: onset } : {}),
      ...(verdict?.endedMs == null ? {} : { endMs: verdict.endedMs }),
    }),
  };
}

function actionsFor(
  { closedMs, acknowledged, onsetMs }: Episode,
  { id, hosts, zone }: ResolvedWatch,
  evaluation: Evaluation,
): Action[] {
  const on = hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => quoteName(name)).join(', ')}`;
  if (closedMs !== null) {
    const from = Temporal.Instant.fromEpochMilliseconds(onsetMs).subtract({ minutes: 30 });
    const range = { from, to: evaluation.range.to };
    const sentence = writeSentence({ verb: 'incident', range, hosts, zone });
    return [{ label: 'Incident pack', sentence, effect: 'thread' }];
  }
  return [
    ...(acknowledged === null
      ? [{ label: 'Acknowledge', sentence: `watch ack ${id}`, effect: 'thread', style: 'primary' } as const]
      : []),
    { label: 'Snooze 2h', sentence: `watch snooze 2h ${id}`, effect: 'thread' },
    { label: 'Check', sentence: `check${on}`, effect: 'thread' },
    {
      label: 'By category',
      sentence: writeSentence({ verb: 'attacks', range: evaluation.range, hosts, zone }),
      effect: 'thread',
    },
  ];
}
