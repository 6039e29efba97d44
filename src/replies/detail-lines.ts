/** Details that only some services report, each in one line: what was blocked, and how servers responded. */
import type { AttackActions, Detail, ServerResponses } from '../statistics/attack-details.ts';
import { formatCount, formatShare } from '../statistics/format.ts';
import { counted } from './phrases.ts';
import type { Line } from './reply.ts';

/** With a chart, an answer has this many lines at most. */
const MAX_LINES = 3;

/** A detail gets its own line, or the end of the last one if there are enough. */
export function withDetail(lines: readonly Line[], detail: string): readonly Line[] {
  if (lines.length < MAX_LINES) return [...lines, [detail]];
  return lines.map((line, at) => (at === lines.length - 1 ? [...line, ` ${detail}`] : line));
}

/** `91 % blocked, 9 % only logged.`; `null` if there's nothing to say. */
export function blockedWords(actions: AttackActions | null): string | null {
  if (actions === null) return null;
  const { blocked, logged, other } = actions;
  const total = blocked + logged + other;
  if (total === 0) return null;
  const parts = [
    `${formatShare(blocked / total)} blocked`,
    ...(logged === 0 ? [] : [`${formatShare(logged / total)} only logged`]),
    ...(other === 0 ? [] : [`${formatShare(other / total)} handled otherwise`]),
  ];
  return `${parts.join(', ')}.`;
}

/** For *Why?*: the numbers behind the share, or why there is none. */
export function blockedReason({ known, why }: Detail<AttackActions>): string {
  if (known === null) return why;
  const { blocked, logged, other } = known;
  const rest = other === 0 ? '' : `, ${formatCount(other)} handled otherwise`;
  return `Of the attacks ${formatCount(blocked)} were blocked, ${formatCount(logged)} only logged${rest}.`;
}

const isServerError = ({ code }: { readonly code: string }): boolean => code.startsWith('5');
/** How many codes the line names. */
const MAX_CODES = 2;

/** `Your servers answered 0.4 % with errors (502: 120, most on /api/orders).`; `null` if there were no responses. */
export function responseWords({ codes }: ServerResponses): string | null {
  const sum = (some: ServerResponses['codes']): number => some.reduce((total, { count }) => total + count, 0);
  const total = sum(codes);
  const errors = codes.filter(isServerError);
  if (total === 0) return null;
  if (errors.length === 0) return 'Your servers answered without errors.';
  const named = errors
    .slice(0, MAX_CODES)
    .map(({ code, count, path }) => `${code}: ${formatCount(count)}${path === null ? '' : `, most on ${path}`}`);
  const more = errors.slice(MAX_CODES);
  const rest = more.length === 0 ? [] : [`others: ${formatCount(sum(more))}`];
  return `Your servers answered ${formatShare(sum(errors) / total)} with errors (${[...named, ...rest].join('; ')}).`;
}

/** For *Why?*: every code, or why they're unknown. */
export function responseReason({ known, why }: Detail<ServerResponses>): string {
  if (known === null) return why;
  const total = known.codes.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return 'Your servers sent no responses.';
  const codes = known.codes.map(({ code, count }) => `${code}: ${formatCount(count)}`);
  return `Your servers sent ${counted(total, 'response')} (${codes.join(', ')}).`;
}
