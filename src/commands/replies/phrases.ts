/** Turns of phrase that several answers share. */
import { formatChange, formatCount } from '../../insight/numbers.ts';
import type { Host } from '../grammar/hosts.ts';
import type { Line } from './reply.ts';

/** ` on shop, blog`, or nothing when all hosts are meant. */
export function onHosts(hosts: readonly Host[]): string {
  if (hosts.length === 0) return '';
  const names = hosts.slice(0, 3).map(({ name }) => name);
  const more = hosts.length > names.length ? ` and ${hosts.length - names.length} more` : '';
  return ` on ${names.join(', ')}${more}`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `requests +18 % (was 1,200)`; where one of the two is nothing, a percentage would say nothing. */
export function change(what: string, now: number, before: number): Line {
  if (before === 0) return [now === 0 ? `no ${what} then either` : `no ${what} then`];
  if (now === 0) return [`${what} `, { bold: 'down to none' }, ` (was ${formatCount(before)})`];
  return [`${what} `, { bold: formatChange(now, before) }, ` (was ${formatCount(before)})`];
}

/** How both moved against what was before, or why that cannot be said. */
export function changeLine(
  now: { requests: number; attacks: number },
  before: { requests: number; attacks: number; intervals: number } | null,
  against: string,
): Line {
  if (before === null) return [`${against}: not known, the service did not answer for it.`];
  if (before.intervals === 0) return [`${against}: no data to compare with.`];
  return [
    `${against}: `,
    ...change('requests', now.requests, before.requests),
    ', ',
    ...change('attacks', now.attacks, before.attacks),
    '.',
  ];
}

/** `5 minutes`, `1 hour`, `2 days` */
export function duration(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const;
  for (const [unit, name] of units) {
    if (ms >= unit && ms % unit === 0) return ms === unit ? `1 ${name}` : `${ms / unit} ${name}s`;
  }
  return `${Math.round(ms / 1000)} seconds`;
}

/** `minute`, `5 minutes`, `hour`: to stand after “in the”. */
export function intervalName(ms: number): string {
  return duration(ms).replace(/^1 /, '');
}
