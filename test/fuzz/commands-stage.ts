/** The commands with everything beneath them on a store in memory, and their replies as Slack would be sent them. */
import { checkMessage } from '../../playground/slack/validation/message.ts';
import type { ChannelSettings } from '../../src/commands/channel-records.ts';
import { channelSettingsSchema } from '../../src/commands/channel-records.ts';
import { type Commands, createCommands, type Question, type Reply } from '../../src/commands/index.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import { BotError } from '../../src/errors.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import { hostAliasSchema } from '../../src/projects/open-projects.ts';
import { onlyProject } from '../../src/projects/project.ts';
import { errorReply } from '../../src/replies/error-reply.ts';
import { renderMessage } from '../../src/slack/blocks/message.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { createKeyValueStore } from '../../src/store/create-store.ts';
import { openStore } from '../../src/store/index.ts';
import { createJobs } from '../../src/subscriptions/jobs.ts';
import { createFakeOutbox } from '../support/channel.ts';
import { episodeLog } from '../support/episodes.ts';
import { createImpatientClock, type ImpatientClock } from '../support/impatient-clock.ts';

const COMMAND = '/waf';
const NAMED_HOSTS = 40;

export interface CommandsStage {
  readonly clock: ImpatientClock;
  readonly commands: Commands;
  close(): Promise<void>;
}

const nothing = (): void => {};
export const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export async function openCommandsStage(statistics: Statistics, at: string): Promise<CommandsStage> {
  const clock = createImpatientClock(at);
  const store = await openStore('memory:', { log: SILENT, now: clock.now });
  const hosts = createKeyValueStore<HostAlias>(store, 'hosts', hostAliasSchema);
  for (let n = 0; n < NAMED_HOSTS; n += 1) {
    const name = `host-${n}`;
    await hosts.set(name, { name, id: `3ac26c59e15a4a11bb680a103a29d${String(n).padStart(3, '0')}`, addedBy: 'U1' });
  }
  const projects = onlyProject({
    statistics,
    episodes: episodeLog(statistics, clock.now),
    hosts,
    lastVerdicts: createLastVerdicts(),
  });
  const { outbox } = createFakeOutbox<Reply>(clock.now);
  const jobs = await createJobs({
    store,
    storeUrl: 'memory:',
    projects,
    commands: COMMANDS,
    clock,
    log: SILENT,
    command: COMMAND,
    whyForbidden: () => null,
    outbox: () => ({
      ...outbox,
      edit: async () => ({ is: 'gone' }),
      linkTo: async () => null,
      sendDirect: async () => {},
    }),
  });
  const commands = createCommands({
    projects,
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    digests: jobs.digests,
    watches: jobs.watches,
    settings: createKeyValueStore<ChannelSettings>(store, 'settings', channelSettingsSchema),
    doctor: { examine: async () => [{ what: 'Everything', ok: true, says: 'All is well.' }] },
    assertPostable: async () => {},
    policy: { allowedChannels: null, admins: null },
    now: clock.now,
    zone: 'UTC',
    command: COMMAND,
  });
  return {
    clock,
    commands,
    async close() {
      await jobs.stop();
      await store.close();
    },
  };
}

export interface FuzzedAnswer {
  /** `answered`, or the code of the refusal. */
  readonly outcome: string;
  /** What must not be: an error that is no refusal, or a message that Slack would refuse. */
  readonly fault: string | null;
}

/** One answer or one clear refusal, in a form that Slack takes. */
export async function answerOrRefusal(commands: Commands, question: Question): Promise<FuzzedAnswer> {
  try {
    return { outcome: 'answered', fault: unsendable(await commands.answer(question)) };
  } catch (error) {
    if (!(error instanceof BotError)) return { outcome: 'failed', fault: stackOf(error) };
    const isClear = error.code !== 'internal' && error.message.trim() !== '';
    return {
      outcome: error.code,
      fault: isClear ? unsendable(errorReply(error, { command: COMMAND, reference: 'abcd1234' })) : stackOf(error),
    };
  }
}

function unsendable(reply: Reply): string | null {
  for (const rendering of ['native', 'simple', 'text'] as const) {
    const { text, blocks } = renderMessage(reply, { rendering });
    const [problem] = checkMessage(blocks, text);
    if (problem !== undefined) return `Slack would refuse the ${rendering} rendering, ${JSON.stringify(problem)}`;
  }
  return null;
}

const stackOf = (error: unknown): string => (error instanceof Error ? String(error.stack) : String(error));
