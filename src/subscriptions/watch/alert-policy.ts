/** Whom a watch's alerts mention beyond the channel, and from which level on. */
import type { Line, Mentioned } from '../../replies/reply.ts';
import type { EditableValues } from '../subscription-summary.ts';
import type { WatchState } from './watch-state.ts';

export type AlertLevel = 'elevated' | 'surge';

/** Part of a watch's details, so every field is optional: earlier versions didn't store it. */
export interface AlertPolicy {
  readonly mention?: MentionPolicy | undefined;
}

interface MentionPolicy {
  readonly who: readonly Mentioned[];
  /** The lowest level that mentions them. */
  readonly from: AlertLevel;
}

const reaches = (level: AlertLevel, from: AlertLevel): boolean => level === 'surge' || from === 'elevated';

/** Whether the episode has become as bad as a mention asks for, and no message has mentioned anybody. */
export function isMentionDue({ episode, message }: WatchState, { mention }: AlertPolicy): boolean {
  if (mention === undefined || episode === null || !reaches(episode.worst, mention.from)) return false;
  return !episode.hasMentioned && (message?.mentions ?? []).length === 0;
}

/** Whom the pending message mentions. An episode mentions people once, however many messages it has. */
export function pendingMentions(state: WatchState, policy: AlertPolicy): readonly Mentioned[] {
  const { episode } = state;
  // What an attempt that failed was about to mention doesn't count.
  const unsent = state.message === null ? state : { ...state, message: { ...state.message, mentions: [] } };
  if (episode === null || episode.closedMs !== null || !isMentionDue(unsent, policy)) return [];
  return policy.mention?.who ?? [];
}

export const namesOf = (mentioned: readonly Mentioned[]): string => mentioned.map(({ name }) => `@${name}`).join(', ');

/** What the form of a watch shows. */
export function policyValues({ mention }: AlertPolicy): EditableValues {
  return mention === undefined ? {} : { mention_from: mention.from, mention: namesOf(mention.who) };
}

/** For lists: names only, because nobody should be notified of a list. */
export function policyLines({ mention }: AlertPolicy): Line[] {
  if (mention === undefined) return [];
  return [['Mentions ', { bold: namesOf(mention.who) }, ` ${levelWords(mention.from)}.`]];
}

export const levelWords = (from: AlertLevel): string => (from === 'surge' ? 'from a surge on' : 'in every alert');
