/** The ending after all missions: what the newcomer has seen, in the bot's own words where possible, and a summary. */
import type { Ending, Mission } from '../page/index.ts';
import type { Message } from '../slack/index.ts';
import type { Attacks } from './attacks.ts';

/** The night that was played. */
export interface PlayedNight {
  readonly seed: number;
  /** An address that plays it again. */
  link(): string;
}

export interface EndingFacts {
  /** The first alert after the attack. */
  readonly alert: Message | undefined;
  /** The answer to the question who it is. */
  readonly culprit: Message | undefined;
  readonly attack: ReturnType<Attacks['first']>;
}

const MINUTE_MS = 60_000;

export function endingOf(missions: readonly Mission[], facts: EndingFacts, night: PlayedNight): Ending | null {
  if (missions.some(({ done }) => !done)) return null;
  const learned = [
    alertLine(facts),
    culpritLine(facts),
    'With the service down, the bot said what was missing instead of showing zero.',
  ];
  const { seed } = night;
  const summary = [
    `wafbot playground, night ${seed}: all ${missions.length} missions done`,
    ...missions.map(({ title }) => `[x] ${title}`),
    ...learned.map((line) => `- ${line}`),
    `The same night again: ${night.link()}`,
  ].join('\n');
  return { learned, summary, nextSeed: seed + 1 };
}

function alertLine({ alert, attack }: EndingFacts): string {
  if (alert === undefined || attack === undefined) return 'The watch alerted once and kept its message up to date.';
  const minutes = Math.max(1, Math.round((Number(alert.ts) * 1000 - attack.sinceMs) / MINUTE_MS));
  return `The watch alerted ${minutes} minutes after the attack began: ${attack.label}.`;
}

/** The answer's headline and the largest source, as worded in the answer. */
function culpritLine({ culprit }: EndingFacts): string {
  const [headline, sources] = (culprit?.text ?? '').replace(/[*_`]/g, '').split(': Largest: ');
  if (!headline || !sources) return '“Who?” names the largest sources, and says whether they are new.';
  return `${headline}: ${sources.split(' ', 1)[0]}.`;
}
