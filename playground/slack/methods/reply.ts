/** What a method answers: Slack's `ok` object, or a refusal with the places at fault. */

import type { JsonObject } from '../../json.ts';
import { type Problem, sayProblem } from '../checks/problem.ts';
import type { World } from '../world.ts';

export interface Refused {
  readonly ok: false;
  readonly error: string;
  readonly problems?: readonly Problem[];
  readonly extra?: JsonObject;
  /** The sender did nothing wrong and may simply try later: a file that is not ready. */
  readonly blameless?: boolean;
}

export type Reply = ({ readonly ok: true } & JsonObject) | Refused;

export type Method = (args: JsonObject, world: World) => Reply;

export interface MethodEntry {
  readonly run: Method;
  /** All of these are needed; a method whose scope depends on the channel checks it itself. */
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

export function missingScope(needed: string, world: World): Refused {
  return refuse('missing_scope', { needed, provided: world.directory.scopes().join(',') });
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
    response_metadata: { messages: problems.map(sayProblem) },
  };
}
