/** The reply of a Web API method: Slack's `ok` object, or an error with pointers to the invalid parts. */

import type { JsonObject } from '../json.ts';
import type { SlackState } from '../state.ts';
import { formatProblem, type Problem } from '../validation/problem.ts';

export interface Refused {
  readonly ok: false;
  readonly error: string;
  readonly problems?: readonly Problem[];
  readonly extra?: JsonObject;
  /** Not the app's mistake, it may just retry: a file that isn't ready. */
  readonly blameless?: boolean;
}

export type Reply = ({ readonly ok: true } & JsonObject) | Refused;

type Method = (args: JsonObject, state: SlackState) => Reply;

export interface MethodEntry {
  readonly run: Method;
  /** All are required. Methods whose scope depends on the channel check it themselves. */
  readonly scopes: readonly string[];
  readonly token?: 'bot' | 'app' | 'none';
}

export function refuse(error: string, extra?: JsonObject): Refused {
  return extra === undefined ? { ok: false, error } : { ok: false, error, extra };
}

export function refuseProblems(problems: readonly Problem[]): Refused {
  return { ok: false, error: problems[0]?.error ?? 'invalid_arguments', problems };
}

export function isRefused(value: object): value is Refused {
  return 'ok' in value && value.ok === false;
}

export function missingScope(needed: string, state: SlackState): Refused {
  return refuse('missing_scope', { needed, provided: state.directory.scopes().join(',') });
}

export function wireReply(reply: Reply): JsonObject {
  if (!isRefused(reply)) return reply;
  const { error, extra, problems = [] } = reply;
  if (problems.length === 0) return { ok: false, error, ...extra };
  return {
    ok: false,
    error,
    ...extra,
    errors: problems.map((problem) => `${problem.message} [json-pointer:${problem.pointer}]`),
    response_metadata: { messages: problems.map(formatProblem) },
  };
}
