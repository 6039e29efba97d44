/**
 * Who is answered: the people of the workspace or organisation that the bot belongs to. In a channel shared with another
 * organisation (Slack Connect) its people could otherwise ask for numbers that are not theirs, and two bots that mention
 * each other would never stop. `WAFBOT_ALSO_ANSWER` lets either in.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { errorReply } from '../replies/error-reply.ts';
import { isRecord } from '../untrusted-input.ts';
import type { DeliverReply } from './posting/deliver-reply.ts';
import type { ReplyTarget } from './posting/reply-target.ts';
import type { UserProfiles } from './user-profile.ts';

export type AlsoAnswered = 'external' | 'bots';

/** Where the bot is installed; `null` for what Slack did not name, and until it has answered. */
interface Installation {
  readonly teamId: string | null;
  readonly enterpriseId: string | null;
}

interface AudienceDependencies {
  readonly alsoAnswer: readonly AlsoAnswered[];
  readonly installation: Installation;
  readonly profiles: UserProfiles;
  readonly deliverReply: DeliverReply;
  readonly command: string;
  readonly log: Logger;
}

interface Sender {
  readonly user: string | null;
  /** The workspace or organisation the person belongs to. */
  readonly team: string | null;
  readonly isBot: boolean;
  /** Where a refusal goes; `null` for what was not done in a conversation. */
  readonly target: ReplyTarget | null;
}

export function createAudience(deps: AudienceDependencies): Middleware<AnyMiddlewareArgs> {
  const { alsoAnswer, installation, profiles, deliverReply, command, log } = deps;
  const refusal = new BotError('forbidden', 'I answer only people of the organisation that installed me.', {
    hint: 'Somebody there can ask for you.',
  });

  async function isColleague({ user, team }: Sender): Promise<boolean> {
    const { teamId, enterpriseId } = installation;
    // Slack names the team of whoever writes or clicks; what has none, such as an opened Home tab, is the bot's own.
    if (team === null || team === teamId || team === enterpriseId) return true;
    // A colleague of another workspace of the same organisation. Whoever cannot be looked up is not let in.
    return enterpriseId !== null && user !== null && (await profiles.enterpriseId(user)) === enterpriseId;
  }

  return async function audience(args) {
    const sender = senderOf(args.body);
    if (sender.isBot) {
      if (alsoAnswer.includes('bots')) return args.next();
      return log.debug({}, 'another bot is not answered');
    }
    if (alsoAnswer.includes('external') || (await isColleague(sender))) return args.next();
    log.info({ channel: sender.target?.channel }, 'somebody of another organisation is not answered');
    if ('ack' in args) await args.ack?.();
    if (sender.target === null) return;
    await deliverReply({ ...errorReply(refusal, { command, reference: '' }), privately: true }, sender.target);
  };
}

/** From what Slack sends for an event, a command, a button, a shortcut or a form. */
function senderOf(body: unknown): Sender {
  const payload = isRecord(body) ? body : {};
  return isRecord(payload.event) ? senderOfEvent(payload.event) : senderOfInteraction(payload);
}

type JsonRecord = Readonly<Record<string, unknown>>;

function senderOfEvent(event: JsonRecord): Sender {
  const [user, channel] = [textAt(event, 'user'), textAt(event, 'channel')];
  const threadTs = textAt(event, 'thread_ts');
  const thread = threadTs === null ? {} : { threadTs };
  return {
    user,
    team: textAt(event, 'user_team') ?? textAt(event, 'source_team') ?? textAt(event, 'team'),
    isBot: 'bot_id' in event || 'bot_profile' in event || event.subtype === 'bot_message' || user === 'USLACKBOT',
    target: user === null || channel === null ? null : { user, channel, ...thread },
  };
}

function senderOfInteraction(payload: JsonRecord): Sender {
  const person = isRecord(payload.user) ? payload.user : {};
  const place = isRecord(payload.channel) ? payload.channel : {};
  const user = textAt(person, 'id') ?? textAt(payload, 'user_id');
  const channel = textAt(place, 'id') ?? textAt(payload, 'channel_id');
  const responseUrl = textAt(payload, 'response_url');
  return {
    user,
    // A command names the workspace it was typed in; Slack offers it to nobody else.
    team: textAt(person, 'team_id') ?? textAt(payload, 'team_id'),
    isBot: false,
    target:
      user === null || channel === null ? null : { user, channel, ...(responseUrl === null ? {} : { responseUrl }) },
  };
}

function textAt(record: JsonRecord, key: string): string | null {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : null;
}
