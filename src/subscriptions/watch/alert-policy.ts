/** Whom a watch's alerts reach beyond the channel: from which level on, and what follows if nobody acknowledges them. */

import type { Line, Mentioned } from '../../replies/reply.ts';
import { duration } from '../../statistics/format.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { EditableValues } from '../subscription-summary.ts';
import type { WatchState } from './watch-state.ts';

export type AlertLevel = 'elevated' | 'surge';

/** Part of a watch's details, so every field is optional: earlier versions didn't store it. */
export interface AlertPolicy {
  readonly mention?: MentionPolicy | undefined;
  /** Applies from the mention's level on, or at every level without a mention. */
  readonly escalation?: EscalationPolicy | undefined;
}

interface MentionPolicy {
  readonly who: readonly Mentioned[];
  /** The lowest level that mentions them. */
  readonly from: AlertLevel;
}

interface EscalationPolicy {
  /** How long somebody has to acknowledge an alert before the next step. */
  readonly afterMs: number;
  /** Mentioned after the second alert, one after another. */
  readonly to: readonly Mentioned[];
}

export const reaches = (level: AlertLevel, from: AlertLevel): boolean => level === 'surge' || from === 'elevated';

/** Whether the episode has become as bad as a mention asks for, and no message has mentioned anybody. */
export function isMentionDue({ episode, message }: WatchState, { mention }: AlertPolicy): boolean {
  if (mention === undefined || episode === null || !reaches(episode.worst, mention.from)) return false;
  return !episode.hasMentioned && (message?.mentions ?? []).length === 0;
}

/** Whom the pending message mentions. An episode mentions people once, and again if nobody acknowledges it. */
export function pendingMentions(state: WatchState, policy: AlertPolicy): readonly Mentioned[] {
  const { episode, message } = state;
  // In another alert's thread it mentions nobody: that alert already has.
  if (episode === null || episode.closedMs !== null || message?.threadTs !== undefined) return [];
  const { mention, escalation } = policy;
  if (message?.news === 'again' || message?.news === 'escalated') {
    const step = (episode.waiting?.reminders ?? 1) - 2;
    if (step >= 0) return escalation?.to.slice(step, step + 1) ?? [];
    return mention !== undefined && reaches(episode.worst, mention.from) ? mention.who : [];
  }
  // What an attempt that failed was about to mention doesn't count.
  const unsent = message === null ? state : { ...state, message: { ...message, mentions: [] } };
  return isMentionDue(unsent, policy) ? (mention?.who ?? []) : [];
}

export const namesOf = (mentioned: readonly Mentioned[]): string => mentioned.map(nameOfOne).join(', ');

/** What the form of a watch shows. */
export function policyValues({ mention, escalation }: AlertPolicy): EditableValues {
  return {
    ...(mention === undefined ? {} : { mention_from: mention.from, mention: namesOf(mention.who) }),
    ...(escalation === undefined
      ? {}
      : { escalate_after: `${Math.round(escalation.afterMs / MINUTE_MS)}m`, escalate: namesOf(escalation.to) }),
  };
}

/** For lists: names only, because nobody should be notified of a list. */
export function policyLines({ mention, escalation }: AlertPolicy): Line[] {
  return [
    ...(mention === undefined
      ? []
      : [['Mentions ', { bold: namesOf(mention.who) }, ` ${levelWords(mention.from)}.`] as const]),
    ...(escalation === undefined ? [] : [escalationLine(escalation, mention?.from)]),
  ];
}

/** `Unacknowledged for 10 minutes, it alerts again; after another 10 minutes it mentions @lead, from a surge on.` */
function escalationLine({ afterMs, to }: EscalationPolicy, from: AlertLevel = 'elevated'): Line {
  const length = duration(afterMs);
  return [
    `If nobody acknowledges an alert for ${length}, it alerts again; after another ${length} it mentions `,
    { bold: to.map(nameOfOne).join(', then ') },
    from === 'surge' ? ', from a surge on.' : '.',
  ];
}

const nameOfOne = ({ name }: Mentioned): string => `@${name}`;

export const levelWords = (from: AlertLevel): string => (from === 'surge' ? 'from a surge on' : 'in every alert');
