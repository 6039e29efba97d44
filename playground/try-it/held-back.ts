/** How much longer the bot doesn't call the service, in words: after a fix, it doesn't resume at once. */
import type { Panel } from '../page/index.ts';

export interface HeldBack {
  /** The service asked for a pause, or it kept failing. */
  readonly why: 'throttled' | 'down';
  readonly untilMs: number;
}

const WORDS: Readonly<Record<HeldBack['why'], Omit<NonNullable<Panel['countdown']>, 'untilMs'>>> = {
  throttled: {
    until: 'Throttled until',
    before: 'Throttled for',
    after: 'more: the service asked for a pause, so the bot doesn’t call it.',
  },
  down: {
    until: 'The bot holds back until',
    before: 'Holding back for',
    after: 'more: the service kept failing, so the bot gives it a break.',
  },
};

export const countdownOf = ({ why, untilMs }: HeldBack): NonNullable<Panel['countdown']> => ({
  ...WORDS[why],
  untilMs,
});

export function describeHold({ why, untilMs }: HeldBack, nowMs: number): string {
  const { before, after } = WORDS[why];
  return `${before} ${Math.max(1, Math.ceil((untilMs - nowMs) / 1000))} s ${after}`;
}
