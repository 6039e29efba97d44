/** What some services report beyond counts: what was blocked, how servers responded, and single attacks. */
import { BotError } from '../errors.ts';
import type { AnsweredWindow } from './timeline.ts';

/** Attacks of a window by what the firewall did with them. */
export interface AttackActions {
  readonly blocked: number;
  readonly logged: number;
  /** Neither, such as a challenge to solve. */
  readonly other: number;
}

export interface ResponseCode {
  /** Three digits. */
  readonly code: string;
  readonly count: number;
  /** The path with the most responses of this code, without its query; `null` if unknown. */
  readonly path: string | null;
}

/** How the servers behind the firewall responded, by code. */
export interface ServerResponses {
  readonly codes: readonly ResponseCode[];
}

/** One attack. Never holds what a visitor sent: no query, cookie, body or payload. */
export interface AttackEvent {
  readonly atMs: number;
  readonly host: string | null;
  readonly path: string | null;
  readonly category: string | null;
  readonly rule: string | null;
  readonly action: 'blocked' | 'logged' | 'other' | null;
  /** As it may be shown; empty if hidden, `null` if unknown. */
  readonly address: string | null;
}

/** The latest attacks, newest first. */
export interface AttackEvents {
  /** How many there are in the whole window. */
  readonly total: number;
  readonly events: readonly AttackEvent[];
}

export const MAX_EVENTS = 10;
/** A service counts no further. */
export const MAX_COUNTED_EVENTS = 10_000;

export type DetailAnswer<T> = T & AnsweredWindow;

/** A detail, or why it's unknown, in a sentence. */
export type Detail<T> =
  | { readonly known: T; readonly why?: undefined }
  | { readonly known: null; readonly why: string };

/** A failed detail must not cost the answer, so a failure becomes the reason why it's unknown. Bugs still throw. */
export async function detailOf<T extends { readonly stale: boolean }>(
  answer: Promise<T> | undefined,
  { what, without }: { readonly what: string; readonly without: string },
): Promise<Detail<T>> {
  if (answer === undefined) return { known: null, why: without };
  try {
    const found = await answer;
    return found.stale ? { known: null, why: `The service didn't answer for ${what}.` } : { known: found };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    if (error.code === 'limit') return { known: null, why: error.message };
    if (error.code.startsWith('upstream_')) return { known: null, why: `The service didn't answer for ${what}.` };
    throw error;
  }
}
