/** The buttons below an answer about a window. Each is a sentence about the same hosts in the same zone. */
import type { Range } from '../time/index.ts';
import type { Action } from './reply.ts';
import type { WindowAsk } from './verb.ts';
import { periodAfter, periodBefore, type SentenceParts, writeSentence } from './window.ts';

type Extra = Pick<SentenceParts, 'versus' | 'flags'>;

export function say({ hosts, zone }: WindowAsk, verb: string, range: Range, extra: Extra = {}): string {
  return writeSentence({ verb, range, hosts, zone, ...extra });
}

/** To the windows beside this one, in place. */
export function stepActions(ask: WindowAsk, verb: string): Action[] {
  const later = periodAfter(ask.range, ask.now);
  const actions: Action[] = [
    { label: 'Earlier', sentence: say(ask, verb, periodBefore(ask.range)), effect: 'replace' },
  ];
  if (later !== null) actions.push({ label: 'Later', sentence: say(ask, verb, later), effect: 'replace' });
  return actions;
}

export function compareAction(ask: WindowAsk): Action {
  return { label: 'Compare', sentence: say(ask, 'compare', ask.range, { versus: 'previous' }), effect: 'thread' };
}

export function csvAction(ask: WindowAsk, verb: string): Action {
  return { label: 'CSV', sentence: say(ask, verb, ask.range, { flags: ['csv only'] }), effect: 'thread' };
}

export function threadAction(label: string, ask: WindowAsk, verb: string): Action {
  return { label, sentence: say(ask, verb, ask.range), effect: 'thread' };
}
