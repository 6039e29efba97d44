/** A verdict in the words of an answer. */
import { type DurationStyle, duration, formatCount } from '../../insight/format.ts';
import type { AnomalyKind, Level, Verdict } from '../../insight/verdict/index.ts';
import { counted } from './phrases.ts';
import type { Line, Piece } from './reply.ts';

export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  calm: 'Calm',
  elevated: 'Elevated',
  surge: 'Surge',
  not_enough_data: 'Not enough data',
};

/** How long something was measured to last: `56 minutes`, `2.5 hours`, `3 days`. */
export const MEASURED: DurationStyle = { units: ['day', 'hour', 'minute'], rounding: 'tenths' };

export const KIND_NAMES: Readonly<Record<AnomalyKind, string>> = {
  'more visitors': 'more visitors: requests are up, the share of attacks is not',
  'targeted attack': 'a targeted attack: the share of attacks is up, in a few categories',
  flood: 'a flood: CC attacks and crawlers are up',
  'false-positive storm': 'a false-positive storm: one category is up, requests are not',
};

/** The verdict and its first reason in one sentence. */
export function verdictHeadline({ level, totals, expected, reasons, kind, fromMs, toMs }: Verdict): Line {
  const name: Piece = { bold: LEVEL_NAMES[level] };
  if (level === 'not_enough_data' || expected === null) return [name, `. ${reasons[0] ?? ''}`];
  const also = level === 'calm' && kind === 'more visitors' ? ', but more visitors than usual' : '';
  const attacks = { bold: counted(totals.attacks, 'attack') };
  return [name, `${also}: `, attacks, ` in ${lasting(toMs - fromMs)}, about ${formatCount(expected)} would be usual.`];
}

/** When it began and whether it is over. */
export function extentLine({ onsetMs, endedMs, ongoing, fromMs }: Verdict, zone: string): Line[] {
  if (onsetMs === null) return [];
  const at = (ms: number): Piece => ({ instant: Temporal.Instant.fromEpochMilliseconds(ms), zone });
  const early = onsetMs < fromMs ? ', before this window' : '';
  if (endedMs === null || ongoing) return [['Began ', at(onsetMs), `${early}; `, { bold: 'still going on' }, '.']];
  return [['Began ', at(onsetMs), `${early}; over `, at(endedMs), `, after ${lasting(endedMs - onsetMs)}.`]];
}

export function kindLine({ kind }: Verdict): Line[] {
  return kind === null ? [] : [['Looks like ', { bold: KIND_NAMES[kind] }, '.']];
}

/** What the service counted here and in the windows it was compared with. */
function againstLines({ totals, references }: Verdict): Line[] {
  return [{ name: 'this window', totals }, ...references].flatMap(({ name, totals: counts }): Line[] => {
    if (counts.knownMs === 0) return [];
    const of = `${counted(counts.attacks, 'attack')} of ${counted(counts.requests, 'request')}`;
    return [[`In ${name}: `, { bold: of }, ` in ${lasting(counts.knownMs)}.`]];
  });
}

/** How the verdict came about: the reasons, the numbers, how sure it is, and by which rule. */
export function explanation(verdict: Verdict): Line[] {
  return [...reasonLines(verdict), ...againstLines(verdict), ...confidenceLines(verdict), ruleLine(verdict)];
}

/** All but the first, which the headline has. */
function reasonLines({ reasons, level }: Verdict): Line[] {
  return level === 'not_enough_data' ? [] : reasons.slice(1).map((reason): Line => [reason]);
}

function confidenceLines({ confidence, completeness }: Verdict): Line[] {
  return [...(confidence === null ? [] : [confidence.says]), ...completeness].map((each): Line => [each]);
}

function ruleLine({ rule }: Verdict): Line {
  return [{ italic: `Rule: ${rule}.` }];
}

const lasting = (ms: number): string => duration(Math.max(60_000, ms), MEASURED);
