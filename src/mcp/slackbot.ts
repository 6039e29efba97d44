/**
 * Slackbot as a client: Slack's own assistant asks on behalf of a person. Slack signs each request with the app's
 * signing secret and names the person in it, so the same rules apply as to what they type. The bot isn't told in which
 * channel.
 */
import { z } from 'zod';
import type { Commands, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Projects } from '../projects/project.ts';
import { type AnswerToolDependencies, createAnswerTool } from './answer-tool.ts';
import type { AgentRoute } from './http.ts';

/** What Slackbot needs of the Slack side. */
export interface SlackbotOptions {
  /** The bot's own commands, with its permissions. */
  readonly commands: Pick<Commands, 'answer'>;
  readonly isSigned: (request: {
    readonly timestamp: string | null;
    readonly signature: string | null;
    readonly body: string;
  }) => boolean;
  /** The person's time zone. Rejects if they aren't answered. */
  readonly admit: (person: { readonly user: string; readonly team: string }) => Promise<string | null>;
  readonly renderBlocks: (reply: Reply) => readonly unknown[];
}

/** A channel that nobody can be in: where channels are limited, only admins are answered. */
const NO_CHANNEL = '';

const PERSON = z.object({ slack: z.object({ user_id: z.string().min(1), team_id: z.string().min(1) }) });

export function slackbotRoute(
  { commands, isSigned, admit, renderBlocks }: SlackbotOptions,
  options: Omit<AnswerToolDependencies, 'commands'> & { readonly projects: Projects },
): AgentRoute {
  return {
    path: '/slackbot',
    server: {
      projects: options.projects.flatMap(({ label }) => label ?? []),
      answerTool: createAnswerTool({ ...options, commands }),
      async callerOf(meta) {
        const person = PERSON.safeParse(meta);
        if (!person.success) throw new BotError('forbidden', 'I only answer people, and the request names none.');
        const { user_id: user, team_id: team } = person.data.slack;
        return { user, channel: NO_CHANNEL, zone: await admit({ user, team }) };
      },
      // Buttons and pictures belong to messages of the bot's own.
      renderBlocks: ({ actions: _, ...reply }) => renderBlocks(reply),
    },
    mayRead: (headers) => headers.has('x-slack-signature'),
    // A replayed request reads the same numbers again, so only its age is limited.
    isAuthentic: (headers, body) =>
      isSigned({
        timestamp: headers.get('x-slack-request-timestamp'),
        signature: headers.get('x-slack-signature'),
        body,
      }),
  };
}
