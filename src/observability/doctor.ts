/** Looks at everything an answer depends on, for the `doctor` command. Each fault comes with its fix. */
import type { Doctor, Finding } from '../commands/ports.ts';
import { BotError } from '../errors.ts';
import type { SlackApp } from '../slack/index.ts';
import { slackFailure } from '../slack/slack-failure.ts';
import type { Store } from '../store/index.ts';

export interface DoctorDependencies {
  readonly service: () => Promise<readonly Finding[]>;
  readonly slack: () => SlackApp | undefined;
  readonly store: Pick<Store, 'ping'>;
}

export function createDoctor({ service, slack, store }: DoctorDependencies): Doctor {
  return {
    async examine(channel) {
      const parts = await Promise.all([service(), examineSlack(slack(), channel), examineStore(store)]);
      return parts.flat();
    },
  };
}

async function examineStore(store: Pick<Store, 'ping'>): Promise<Finding[]> {
  try {
    await store.ping();
    return [{ what: 'Storage', ok: true, says: 'The storage answers.' }];
  } catch (error) {
    const says = error instanceof BotError ? error.message : 'The storage does not answer.';
    return [{ what: 'Storage', ok: false, says, fix: 'check WAFBOT_STORE, and that the disk or Redis is up.' }];
  }
}

async function examineSlack(slack: SlackApp | undefined, channel: string): Promise<Finding[]> {
  if (slack === undefined) return [];
  const sockets = slack.connected();
  const connection: Finding = {
    what: 'Slack',
    ok: sockets === null || sockets > 0,
    says: sockets === null ? 'HTTP mode.' : `${sockets} of 2 connections are open.`,
    ...(sockets === 0 ? { fix: 'check SLACK_APP_TOKEN and the way out to Slack.' } : {}),
  };
  return [connection, ...(channel.startsWith('D') ? [] : [await examineChannel(slack, channel)])];
}

async function examineChannel({ clients, botName }: SlackApp, id: string): Promise<Finding> {
  const what = 'This channel';
  try {
    const { channel } = await clients.read.conversations.info({ channel: id });
    if (channel?.is_archived)
      return { what, ok: false, says: 'It is archived.', fix: 'unarchive it, or ask elsewhere.' };
    if (channel?.is_member) return { what, ok: true, says: 'I am a member, so charts can be posted.' };
  } catch (error) {
    const failure = slackFailure(error);
    if (failure === null) throw error;
    if (failure.kind === 'refused' && failure.reason === 'missing_scope') {
      return { what, ok: false, says: 'A scope is missing.', fix: 'install the app again from manifest.yml.' };
    }
    if (failure.kind !== 'refused')
      return { what, ok: false, says: 'Slack did not answer.', fix: 'try again in a minute.' };
  }
  const fix = `type /invite @${botName()} here.`;
  return { what, ok: false, says: 'I am not a member, so charts cannot be posted.', fix };
}
