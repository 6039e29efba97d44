/** Checks the connection to Slack and whether the bot may post in a channel: for `doctor`, and before a subscription is created. */
import type { Clock } from '../clock.ts';
import type { JoinOutcome } from '../commands/context.ts';
import { BotError } from '../errors.ts';
import type { Finding } from '../replies/finding.ts';
import { type SlackClients, slackFailure, withinLimit } from './transport/web-api.ts';

/** Someone is waiting for a form to close. */
const INFO_LIMIT_MS = 1_000;

interface SlackProbeOptions {
  readonly clients: SlackClients;
  readonly channel: string;
  readonly connected: number | null;
  readonly botName: string;
  readonly now: Temporal.Instant;
}

export async function probeSlack(options: SlackProbeOptions): Promise<Finding[]> {
  const { connected, channel } = options;
  const connection: Finding = {
    what: 'Slack',
    ok: connected === null || connected > 0,
    says: connected === null ? 'HTTP mode.' : `${connected} of 2 connections open.`,
    fix: connected === 0 ? 'check SLACK_APP_TOKEN and outbound access to Slack.' : undefined,
  };
  const here = channel.startsWith('D') ? [] : [await probeChannel(options)];
  return [connection, ...here, ...probeLimits(options)];
}

/** Methods that Slack limits, which explains answers without pictures or in another place. */
function probeLimits({ clients, now }: SlackProbeOptions): Finding[] {
  return clients.limited().map(({ method, until }) => {
    const seconds = Math.max(1, Math.ceil(now.until(until).total('seconds')));
    return {
      what: 'Slack’s limits',
      ok: false,
      says: `Slack is limiting ${method} for another ${seconds} s.`,
      fix: 'wait; until then, answers use a fallback.',
    };
  });
}

/** Rejects if the channel is archived. If Slack doesn't say, it's taken to be open. */
export async function assertPostable(clients: SlackClients, clock: Clock, channel: string): Promise<void> {
  if (channel.startsWith('D')) return;
  const info = await withinLimit(clock, INFO_LIMIT_MS, () => clients.read.conversations.info({ channel })).catch(
    (error: unknown) => {
      if (slackFailure(error) === null) throw error;
      return null;
    },
  );
  if (info?.channel?.is_archived !== true) return;
  throw new BotError('forbidden', 'This channel is archived, so I can’t post here.', {
    hint: 'Unarchive it first, or ask in another channel.',
  });
}

/** A public channel can be joined if the app has the scope; a private one has to invite the bot. */
export async function joinChannel(clients: SlackClients, botName: string, channel: string): Promise<JoinOutcome> {
  try {
    const { warning } = await clients.post.conversations.join({ channel });
    return { is: warning === 'already_in_channel' ? 'member' : 'joined' };
  } catch (error) {
    if (slackFailure(error)?.kind !== 'refused') throw error;
    return { is: 'refused', invitation: `/invite @${botName}` };
  }
}

async function probeChannel({ clients, channel: id, botName }: SlackProbeOptions): Promise<Finding> {
  const what = 'This channel';
  try {
    const { channel } = await clients.read.conversations.info({ channel: id });
    if (channel?.is_archived)
      return { what, ok: false, says: 'It’s archived.', fix: 'unarchive it, or ask elsewhere.' };
    if (channel?.is_member) return { what, ok: true, says: 'I’m a member, so I can post charts.' };
  } catch (error) {
    const failure = slackFailure(error);
    if (failure === null) throw error;
    if (failure.kind === 'refused' && failure.reason === 'missing_scope') {
      return { what, ok: false, says: 'A scope is missing.', fix: 'reinstall the app from manifest.yml.' };
    }
    if (failure.kind !== 'refused')
      return { what, ok: false, says: 'Slack didn’t answer.', fix: 'try again in a minute.' };
  }
  const fix = `type /invite @${botName} here.`;
  return { what, ok: false, says: 'I’m not a member, so I can’t post charts.', fix, mends: 'join' };
}
