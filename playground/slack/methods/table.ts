/** Every Web API method the local Slack knows, and who may call it. */

import type { JsonObject } from '../../json.ts';
import { checkMessage } from '../checks/message.ts';
import type { World } from '../world.ts';
import { CHAT_METHODS } from './chat.ts';
import { CONVERSATION_METHODS } from './conversations.ts';
import { FILE_METHODS } from './files.ts';
import { PEOPLE_METHODS } from './people.ts';
import { type MethodEntry, missingScope, type Reply, refuse } from './reply.ts';
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

export const METHODS: Readonly<Record<string, MethodEntry>> = {
  ...PEOPLE_METHODS,
  ...CHAT_METHODS,
  ...CONVERSATION_METHODS,
  ...FILE_METHODS,
  ...VIEW_METHODS,
  'blocks.validate': { run: validateBlocks, scopes: [], token: 'none' },
};

export function callMethod(name: string, args: JsonObject, token: string | undefined, world: World): Reply {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) return refuse('unknown_method', { req_method: name });
  if (method.token !== 'none') {
    const { bot, app, revoked } = world.tokens;
    if (token === undefined || token === '') return refuse('not_authed');
    if (token !== bot && token !== app) return refuse('invalid_auth');
    if (token !== (method.token === 'app' ? app : bot)) return refuse('not_allowed_token_type');
    if (revoked) return refuse('token_revoked');
  }
  const granted = world.directory.scopes();
  const needed = method.scopes.find((scope) => !granted.includes(scope));
  return needed === undefined ? method.run(args, world) : missingScope(needed, world);
}
