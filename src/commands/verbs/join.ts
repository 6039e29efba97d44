/** `join`: adds the bot to the channel, so that it can post and upload charts there. */
import { BotError } from '../../errors.ts';
import type { Reply } from '../../replies/reply.ts';
import type { CommandContext } from '../context.ts';
import type { Verb } from '../verb.ts';

export const join: Verb = {
  verb: 'join',
  aliases: ['invite'],
  summary: 'that I have joined this channel, so that I can draw and post here; a private channel has to invite me',
  help: { group: 'Set things up', examples: ['join'] },
  usage: ['join'],
  examples: ['join'],
  parts: [],
  effect: 'respond',
  answer: answerJoin,
};

async function answerJoin({ deps, question }: CommandContext): Promise<Reply> {
  if (question.channel.startsWith('D')) return { title: "You can't invite me to a direct message", quiet: true };
  const outcome = await deps.joinChannel(question.channel);
  if (outcome.is === 'refused') {
    throw new BotError('forbidden', "I can't join this channel by myself.", {
      hint: `Type ${outcome.invitation} here. I can join a public channel once the app is installed again from its manifest.`,
    });
  }
  return {
    title: outcome.is === 'member' ? "I'm already in this channel" : 'I joined this channel',
    headline: ['From now on, answers here have charts, and digests and watches can post here.'],
    actions: [{ label: 'Check', sentence: 'check', effect: 'thread' }],
  };
}
