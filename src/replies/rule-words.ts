/** The rule of the verdict in words, from its own numbers. */
import { BARS, CATEGORY, DROPS, RISE, SURGE, TAKEOVER } from '../episodes/verdict/index.ts';
import { formatCount, formatShare } from '../statistics/format.ts';

/** The chance that a strength stands for: `about once in 200 hours`. */
export function chanceInWords(strength: number): string {
  const hours = 10 ** strength;
  const rounded = hours < 10 ? Math.max(1, Math.round(hours)) : Number(hours.toPrecision(2));
  return hours > 10_000 ? 'less than once in 10,000 hours' : `about once in ${formatCount(rounded)} hours`;
}

export function ruleInWords(): string {
  return [
    `A rise: ${RISE.ratio}× the expected and ${RISE.excess} extra, rarer than ${chanceInWords(BARS.check).replace('about ', '')}.`,
    `A surge: ${SURGE.ratio}× and ${SURGE.excess} extra within 15 minutes.`,
    `A category: ${CATEGORY.minEvents} events in half a day and ${CATEGORY.timesBusiest}× any day but one of 4 weeks, or ${TAKEOVER.times}× its ratio to others while these fall.`,
    `A drop: at most ${formatShare(DROPS.check.attacks.left)} of usual attacks or visitors.`,
  ].join(' ');
}
