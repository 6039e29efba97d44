/** A watch in words beyond its rule: how easily it calls, what people answered, and when it would have called. */

import type { Host } from '../../commands/grammar/hosts.ts';
import { counted } from '../../commands/replies/phrases.ts';
import type { Line, Reply, Table } from '../../commands/replies/reply.ts';
import { clockOf, LEVEL_NAMES, MEASURED } from '../../commands/replies/verdict-lines.ts';
import { duration, formatShare } from '../../insight/format.ts';
import { type FeedbackAnswer, MOST_STEPS, stepsOf } from './feedback.ts';
import { PREVIEW_DAYS, type Preview } from './preview.ts';
import type { ReplayedWatch } from './replay.ts';
import { describeSensitivity, SENSITIVITIES, type WatchSensitivity } from './sensitivity.ts';

/** `Sensitivity normal: less than one call a week for nothing. One step quieter, by 1 answer.` */
export function sensitivityLines(sensitivity: WatchSensitivity, answers: readonly FeedbackAnswer[]): Line[] {
  const line: Line = [
    'Sensitivity ',
    { bold: sensitivity },
    describeSensitivity(sensitivity).slice(sensitivity.length),
    '.',
  ];
  return answers.length === 0 ? [line] : [line, answersLine(answers)];
}

/** Who answered what, and what has come of it. */
function answersLine(answers: readonly FeedbackAnswer[]): Line {
  const said = (says: FeedbackAnswer['says']): number => answers.filter((answer) => answer.says === says).length;
  const parts = [
    ...(said('expected') === 0 ? [] : [`${said('expected')} × this was expected`]),
    ...(said('earlier') === 0 ? [] : [`${said('earlier')} × tell me earlier`]),
  ];
  const last = answers.at(-1);
  const who: Line = last === undefined ? [] : [', the last by ', { user: last.by }];
  return [`Answers: ${parts.join(', ')}`, ...who, `. ${stepsInWords(stepsOf(answers))}`];
}

/** What the answers together do to the bar. */
export function stepsInWords(steps: number): string {
  if (steps === 0) return 'The bar is where it was chosen.';
  const size = Math.abs(steps);
  const many = size === 1 ? 'one step' : `${size} steps`;
  const limit = size === MOST_STEPS ? ', which is as far as answers move it,' : ` of at most ${MOST_STEPS}`;
  return `The bar is ${many}${limit} ${steps > 0 ? 'higher: it calls for rarer things only' : 'lower: it calls sooner'}.`;
}

interface PreviewedWatch {
  /** `null` when there is none yet. */
  readonly id: string | null;
  readonly what: string;
  readonly sensitivity: WatchSensitivity;
  readonly isThreshold: boolean;
  readonly hosts: readonly Host[];
  readonly zone: string;
}

const MOST_ROWS = 10;
const COMPLETE = 0.95;

export function previewReply(preview: Preview, watch: PreviewedWatch, now: Temporal.Instant): Reply {
  const { fromMs, toMs, known, watches } = preview;
  const { id, what, sensitivity, isThreshold, hosts, zone } = watch;
  const calls = (name: WatchSensitivity): number =>
    watches.get(name)?.messages.filter(({ kind }) => kind !== 'over').length ?? 0;
  const own = calls(sensitivity);
  const at = Temporal.Instant.fromEpochMilliseconds;
  const headline: Line = isThreshold
    ? ['A watch for ', { bold: what }, '.']
    : [SENSITIVITIES.map((name) => `${name} ${calls(name)}`).join(' · '), ' calls in all.'];
  const table = callsTable(preview, clockOf(zone, now), isThreshold);
  return {
    title: `${own === 0 ? 'No call' : counted(own, 'call')} in the last ${PREVIEW_DAYS} days${isThreshold ? '' : ` at ${sensitivity}`}`,
    headline,
    body: [
      ...lastCall(watches.get(sensitivity), clockOf(zone, now)),
      ...(known < COMPLETE ? [[`The service has numbers for ${formatShare(known)} of that time only.`]] : []),
    ],
    subject: { hosts, range: { from: at(fromMs), to: at(toMs) }, zone },
    ...(table.rows.length === 0 ? {} : { table }),
    notes: isThreshold
      ? []
      : [
          [
            'Replayed by the number of attacks. A category that moves alone is not in it: the service keeps no timeline of those.',
          ],
        ],
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

const hostWords = (hosts: readonly Host[]): string =>
  hosts.length === 0 ? '' : ` on ${hosts.map(({ name }) => `"${name}"`).join(', ')}`;

function lastCall(watch: ReplayedWatch | undefined, times: (ms: number) => string): Line[] {
  const last = watch?.messages.findLast(({ kind }) => kind !== 'over');
  if (last === undefined) return [];
  return [
    [`The last one at ${times(last.atMs)}, ${LEVEL_NAMES[last.level].toLowerCase()} since ${times(last.onsetMs)}.`],
  ];
}

/** The newest episodes first, each with who would have called. */
function callsTable({ watches }: Preview, times: (ms: number) => string, isThreshold: boolean): Table {
  const widest = watches.get('sensitive') ?? watches.get('normal');
  const isIn = (name: WatchSensitivity, fromMs: number, toMs: number): boolean =>
    watches.get(name)?.episodes.some(({ onsetMs, endMs }) => onsetMs < toMs && (endMs ?? toMs) > fromMs) ?? false;
  const rows = (widest?.episodes ?? [])
    .toReversed()
    .slice(0, MOST_ROWS)
    .map((episode) => {
      const { openedMs, onsetMs, endMs, worst } = episode;
      const untilMs = endMs ?? openedMs;
      const who = SENSITIVITIES.filter((name) => isIn(name, onsetMs, untilMs));
      return [
        times(openedMs),
        LEVEL_NAMES[worst],
        times(onsetMs),
        duration(Math.max(60_000, untilMs - onsetMs), MEASURED),
        ...(isThreshold ? [] : [who.join(', ')]),
      ];
    });
  const names = ['Called', 'Level', 'Since', 'Lasted', ...(isThreshold ? [] : ['At'])];
  return { columns: names.map((name) => ({ name, align: 'left' })), rows };
}
