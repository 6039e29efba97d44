/**
 * What is compared: the bot and a bare Bolt app. Each is a process with a local Slack of its own, in another process, as is
 * the statistics service, so that no work is counted as another's.
 */
import { type PeerProcess, startPeer } from '../load/peer-process.ts';
import type { ServicePeer } from '../load/service-peer.ts';
import type { AskTheseOptions, AskTheseReport, SlackPeer, StartOptions } from '../load/slack-peer.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';

export type Service = PeerProcess<ServicePeer>;

type SlackEnvironment = Awaited<ReturnType<SlackPeer['start']>>;

export interface Contender {
  readonly process: BotProcess;
  /** Its local Slack. */
  readonly slack: SlackEnvironment;
  /** From the start of the process until it takes questions. */
  readonly startMs: number;
  ask(options: AskTheseOptions): Promise<AskTheseReport>;
  /** Clears what the local Slack remembers. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

const PEOPLE: StartOptions = { people: 400, digestChannels: 0, fileReadyAfter: 0, trusting: true };
const BARE = new URL('./bare-bolt.ts', import.meta.url).pathname;

export const startService = (): Promise<Service> =>
  startPeer<ServicePeer>(new URL('../load/service-peer.ts', import.meta.url));

export function startBareBolt(options: Partial<StartOptions> = {}): Promise<Contender> {
  return start(options, /bare Bolt is ready/, (slack) => startBotProcess(slack, [], BARE));
}

export async function startBot(
  service: Service,
  environment: Readonly<Record<string, string>> = {},
  options: Partial<StartOptions> = {},
  program?: string,
): Promise<Contender> {
  const upstream = await service.call.environment();
  return start(options, /wafbot is ready/, (slack) => {
    const ports = { PORT: '0', WAFBOT_HEALTH_PORT: '0', WAFBOT_STORE: 'sqlite:./wafbot.db' };
    return startBotProcess({ ...slack, ...upstream, ...ports, ...environment }, ['start'], program);
  });
}

async function start(
  options: Partial<StartOptions>,
  ready: RegExp,
  launch: (slack: SlackEnvironment) => BotProcess,
): Promise<Contender> {
  const peer = await startPeer<SlackPeer>(new URL('../load/slack-peer.ts', import.meta.url));
  const environment = await peer.call.start({ ...PEOPLE, ...options });
  const launchedMs = performance.now();
  const running = launch(environment);
  await running.printed(ready);
  return {
    process: running,
    slack: environment,
    startMs: performance.now() - launchedMs,
    ask: (asked) => peer.call.askThese(asked),
    forget: () => peer.call.forget(),
    async stop() {
      await running.clear();
      await peer.stop();
    },
  };
}

let minutes = 0;

/** Questions that nobody has asked before, each about six hours whose numbers are final. */
export function newQuestions(count: number): string[] {
  return Array.from({ length: count }, () => {
    minutes += 1;
    const start = Temporal.Now.instant().round({ smallestUnit: 'minute' }).subtract({ hours: 12, minutes });
    return `timeline ${start}/${start.add({ hours: 6 })}`;
  });
}
