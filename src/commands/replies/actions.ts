/** The buttons below an answer about a window. Each is a sentence about the same hosts in the same zone. */
import type { Range } from '../../time/index.ts';
import { namedHosts } from '../grammar/hosts.ts';
import { periodAfter, periodBefore, type SentenceParts, writeSentence } from '../grammar/window.ts';
import type { WindowAsk } from '../verb.ts';
import type { Action } from './reply.ts';

type Extra = Pick<SentenceParts, 'versus' | 'flags'>;

export function say({ hosts, zone }: WindowAsk, verb: string, range: Range, extra: Extra = {}): string {
  return writeSentence({ verb, range, hosts, zone, ...extra });
}

/** What the answer is compared with, so that its file and its repetition are too. */
export function versusOf({ sentence: { versus } }: WindowAsk): Pick<SentenceParts, 'versus'> {
  return versus === null ? {} : { versus };
}

/** To the windows beside this one, in place. A window that was named to compare with belongs to this one alone. */
export function stepActions(ask: WindowAsk, verb: string): Action[] {
  const extra: Extra = ask.sentence.versus === 'previous' ? { versus: 'previous' } : {};
  const later = periodAfter(ask.range, ask.now);
  const earlier = say(ask, verb, periodBefore(ask.range), extra);
  return [
    { label: 'Earlier', sentence: earlier, effect: 'replace' },
    ...(later === null ? [] : [{ label: 'Later', sentence: say(ask, verb, later, extra), effect: 'replace' } as const]),
  ];
}

export function compareAction(ask: WindowAsk): Action {
  return { label: 'Compare', sentence: say(ask, 'compare', ask.range, { versus: 'previous' }), effect: 'thread' };
}

export function csvAction(ask: WindowAsk, verb: string): Action {
  return {
    label: 'CSV',
    sentence: say(ask, verb, ask.range, { ...versusOf(ask), flags: ['csv only'] }),
    effect: 'thread',
  };
}

export function threadAction(label: string, ask: WindowAsk, verb: string): Action {
  return { label, sentence: say(ask, verb, ask.range), effect: 'thread' };
}

/** A form for a digest about the same hosts. */
export function digestAction({ hosts }: WindowAsk): Action {
  return { label: 'Make a digest', sentence: `digest new${namedHosts(hosts)}`, effect: 'modal' };
}
