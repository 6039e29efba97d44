/** Slackbot, which calls a tool of the app's MCP server on behalf of a person, and shows them the answer. */
import { createHmac } from 'node:crypto';
import { isObject, type JsonObject, objectsIn, parseJson } from '../json.ts';
import type { Message } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { checkMessage } from '../validation/message.ts';
import type { Problem } from '../validation/problem.ts';

export interface SlackbotInput {
  /** Of the app's MCP server, as in its manifest. */
  readonly url: string;
  readonly tool: string;
  readonly args?: JsonObject;
  /** By id or name; defaults to the workspace's first one. */
  readonly user?: string;
  /** Signs with another secret or at another time, or names another person, for requests that the app must refuse. */
  readonly forged?: { readonly secret?: string; readonly ageSeconds?: number; readonly slack?: JsonObject | null };
}

export interface SlackbotResult {
  readonly status: number;
  /** The tool's result; undefined if the server refused the request. */
  readonly result: JsonObject | undefined;
  /** What is wrong with its blocks. */
  readonly problems: readonly Problem[];
  /** What the person sees, in their direct message; undefined if there was nothing to show. */
  readonly message: Message | undefined;
}

export async function askSlackbot(
  { url, tool, args = {}, user: ref, forged = {} }: SlackbotInput,
  { state, signingSecret }: { readonly state: SlackState; readonly signingSecret: string },
): Promise<SlackbotResult> {
  const { team } = state.directory.workspace;
  const user = state.directory.personNamed(ref);
  const { slack = { user_id: user.id, team_id: user.teamId ?? team.id } } = forged;
  const params = { name: tool, arguments: args, ...(slack !== null && { _meta: { slack } }) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  // The app compares the timestamp with the real time, so the injected clock must not be used here.
  const timestamp = String(Math.floor(Date.now() / 1000) - (forged.ageSeconds ?? 0));
  const signature = createHmac('sha256', forged.secret ?? signingSecret).update(`v0:${timestamp}:${body}`);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature.digest('hex')}`,
    },
    body,
  });
  const { status } = response;
  const result = resultIn(await response.text());
  if (result === undefined) return { status, result, problems: [], message: undefined };
  const { text, blocks } = shownOf(result);
  const problems = checkMessage(blocks, text);
  const channel = state.directory.directMessage(user.id).id;
  const message =
    problems.length > 0
      ? undefined
      : state.messages.add({ channel, user: 'USLACKBOT', text, blocks, visibleTo: user.id, via: 'api' });
  return { status, result, problems, message };
}

/** An answer is JSON, or one event of a stream. */
function resultIn(body: string): JsonObject | undefined {
  const [, event] = /^data: (\{.*)$/m.exec(body) ?? [];
  const parsed = parseJson(event ?? body);
  return isObject(parsed) && isObject(parsed.result) ? parsed.result : undefined;
}

/** The app's blocks if it sent any, and the text. */
function shownOf({ content, _meta: meta }: JsonObject): {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
} {
  const [first] = objectsIn(content);
  const slack = isObject(meta) && isObject(meta.slack) ? meta.slack : {};
  return { text: typeof first?.text === 'string' ? first.text : '', blocks: objectsIn(slack.blocks) };
}
