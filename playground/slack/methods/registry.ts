/** All supported Web API methods, with the checks of token and scopes that come before each call. */

import type { JsonObject } from '../json.ts';
import type { SlackState } from '../state.ts';
import { checkMessage } from '../validation/message.ts';
import { ASSISTANT_METHODS } from './assistant.ts';
import { CANVAS_METHODS } from './canvases.ts';
import { CHAT_METHODS } from './chat.ts';
import { CONVERSATION_METHODS } from './conversations.ts';
import { FILE_METHODS } from './files.ts';
import { FUNCTION_METHODS } from './functions.ts';
import { type MethodEntry, missingScope, type Reply, refuse } from './reply.ts';
import { USER_METHODS } from './users.ts';
import { VIEW_METHODS } from './views.ts';

const validateBlocks = (args: JsonObject): Reply => {
  const problems = checkMessage(args.blocks, ' ');
  if (problems.length === 0) return { ok: true };
  const errors = problems.map(({ pointer, message }) => ({
    code: 'invalid',
    message,
    field: pointer.split('/').at(-1),
    pointer,
  }));
  return refuse('invalid_blocks', { errors });
};

const METHODS: Readonly<Record<string, MethodEntry>> = {
  ...USER_METHODS,
  ...ASSISTANT_METHODS,
  ...CANVAS_METHODS,
  ...CHAT_METHODS,
  ...CONVERSATION_METHODS,
  ...FILE_METHODS,
  ...FUNCTION_METHODS,
  ...VIEW_METHODS,
  'blocks.validate': { run: validateBlocks, scopes: [], token: 'none' },
};

export function callMethod(name: string, args: JsonObject, token: string | undefined, state: SlackState): Reply {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return refuse('unknown_method', { req_method: name });
  if (method.token !== 'none') {
    const { bot, app, revoked } = state.tokens;
    if (token === undefined || token === '') return refuse('not_authed');
    const execution = state.executions.byToken(token);
    if (token !== bot && token !== app && execution === undefined) return refuse('invalid_auth');
    // A step has a bot token of its own until it ends.
    const isBot = token === bot || execution !== undefined;
    if (method.token === 'app' ? token !== app : !isBot) return refuse('not_allowed_token_type');
    if (revoked || (execution !== undefined && execution.status !== 'running')) return refuse('token_revoked');
  }
  const granted = state.directory.scopes();
  const needed = method.scopes.find((scope) => !granted.includes(scope));
  return needed === undefined ? method.run(args, state) : missingScope(needed, state);
}
