/** All supported Web API methods, with the checks of token and scopes that come before each call. */

import type { JsonObject } from '../json.ts';
import type { SlackState } from '../state.ts';
import { checkMessage } from '../validation/message.ts';
import { ASSISTANT_METHODS } from './assistant.ts';
import { CANVAS_METHODS } from './canvases.ts';
import { CHANNEL_CHANGE_METHODS } from './channel-changes.ts';
import { CHAT_METHODS } from './chat.ts';
import { CONVERSATION_METHODS } from './conversations.ts';
import { FILE_METHODS } from './files.ts';
import { FUNCTION_METHODS } from './functions.ts';
import { REACTION_METHODS } from './reactions.ts';
import { type MethodEntry, missingScope, type Reply, refuse } from './reply.ts';
import { SCHEDULED_METHODS } from './scheduled.ts';
import { STREAM_METHODS } from './streams.ts';
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

/** Slack's error for a method that it doesn't have, and whose fault that is. SDKs log the message. */
const unsupported = (name: string): Reply =>
  refuse('unknown_method', {
    req_method: name,
    response_metadata: {
      messages: [
        `[ERROR] The local Slack doesn't support ${name}. Inject a fault of kind "body" to answer it in a test.`,
      ],
    },
  });

const METHODS: Readonly<Record<string, MethodEntry>> = {
  ...USER_METHODS,
  ...ASSISTANT_METHODS,
  ...CANVAS_METHODS,
  ...CHANNEL_CHANGE_METHODS,
  ...CHAT_METHODS,
  ...CONVERSATION_METHODS,
  ...FILE_METHODS,
  ...FUNCTION_METHODS,
  ...REACTION_METHODS,
  ...SCHEDULED_METHODS,
  ...STREAM_METHODS,
  ...VIEW_METHODS,
  'api.test': { run: (args) => ({ ok: true, args }), scopes: [], token: 'none' },
  'blocks.validate': { run: validateBlocks, scopes: [], token: 'none' },
};

export const SUPPORTED_METHODS: readonly string[] = Object.keys(METHODS).sort();

export function callMethod(name: string, args: JsonObject, token: string | undefined, state: SlackState): Reply {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return unsupported(name);
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
