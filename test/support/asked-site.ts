/** A bot on recorded numbers, as far as questions, digests, watches and Home go; its clock is moved by hand. */
import { judgeWindow } from '../../src/cli/judge.ts';
import { createCommands } from '../../src/commands/index.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { createEpisodeLog, type StoredBlocks } from '../../src/episodes/episode-log.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import { type RecordedNumbers, recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { onlyProject } from '../../src/projects/project.ts';
import type { Reply } from '../../src/replies/reply.ts';
import { homeView } from '../../src/slack/blocks/home-view.ts';
import { createHome } from '../../src/slack/home.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { openStore } from '../../src/store/index.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestReply } from '../../src/subscriptions/digest/digest-reply.ts';
import { NO_DIGESTS } from '../../src/subscriptions/none.ts';
import { createWatches } from '../../src/subscriptions/watch/create-watches.ts';
import type { Range } from '../../src/time/index.ts';
import { createFakeOutbox } from './channel.ts';
import { createManualClock } from './clock.ts';

const LOG = { debug() {}, info() {}, warn() {}, error() {} };
const CHANNEL = 'C1';

export interface AskedSiteOptions {
  readonly numbers: RecordedNumbers;
  /** The operator's zone. */
  readonly zone: string;
  readonly startMs: number;
  readonly blocks: StoredBlocks;
}

export async function openAskedSite({ numbers, zone, startMs, blocks }: AskedSiteOptions) {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const clock = createManualClock(at(startMs));
  const nowMs = (): number => clock.now().epochMilliseconds;
  const statisticsAt = recordedStatistics(numbers);
  const statistics: Statistics = {
    timeline: (query) => statisticsAt(nowMs()).timeline(query),
    distribution: (query) => statisticsAt(nowMs()).distribution(query),
  };
  const recorded = createEpisodeLog({ statistics, blocks, nowMs, zone });
  const none = { get: async () => undefined, set: async () => {}, delete: async () => {}, entries: async () => [] };
  const projects = onlyProject({
    statistics,
    hosts: none,
    lastVerdicts: createLastVerdicts(),
    episodes: recorded,
  });
  const [{ episodes, ignored }] = projects;
  const store = await openStore('memory:', { log: LOG, now: clock.now });
  const channel = createFakeOutbox<Reply>(clock.now);
  /** What the channel shows of each message, and since when. */
  const shown = new Map<string, { readonly reply: Reply; readonly atMs: number }>();
  const watching = createWatches({
    records: store,
    leases: createLocalLeases(clock),
    owner: 'test',
    scheduler: { put: async () => {}, remove: async () => {} },
    rateLimiter: createPostRateLimiter({ clock, perChannelMs: 0, betweenMs: 0 }),
    outbox: {
      async send(where, reply, runId, threadTs) {
        const sent = await channel.outbox.send(where, reply, runId, threadTs);
        if (sent.is === 'sent') shown.set(sent.ts, { reply, atMs: nowMs() });
        return sent;
      },
      find: channel.outbox.find,
      async edit(_where, ts, reply) {
        shown.set(ts, { reply, atMs: nowMs() });
        return { is: 'sent', ts };
      },
    },
    clock,
    log: LOG,
    projects,
    commands: COMMANDS,
    notifyOwner: async () => {},
  });
  const { watches, runner } = watching;
  const watch = await watches.create({
    channel: CHANNEL,
    owner: 'U1',
    text: '',
    zone,
    project: null,
    hosts: [],
  });
  const commands = createCommands({
    projects,
    settings: none,
    digests: NO_DIGESTS,
    watches,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    policy: { allowedChannels: null, admins: null },
    now: clock.now,
    zone,
    command: '/waf',
  });
  const loadHome = createHome({
    jobs: { digests: NO_DIGESTS, watches },
    projects,
    probeService: async () => [],
    policy: { allowedChannels: null, admins: null },
    clock,
    zone,
    log: LOG,
  });
  const composeDigest = createDigestReply({
    statistics,
    ignored,
    episodes,
    hosts: none,
    clock,
    reported: (where, range) => watches.episodes(where, range, null),
    linkTo: async () => null,
  });
  let asked = 0;
  const ref = { kind: 'watch', channel: CHANNEL, id: watch.id } as const;
  return {
    clock,
    episodes,
    shown,
    watchZone: zone,
    /** Each question by another person, so that nobody asks too much. */
    ask(text: string, userZone: string): Promise<Reply> {
      asked += 1;
      return commands.answer({ text, user: `U${asked}`, channel: CHANNEL, userZone });
    },
    judge: ({ from, to }: Range) =>
      judgeWindow(
        { statistics, episodes },
        {
          id: null,
          zone,
          nowMs: clock.now().epochMilliseconds,
          fromMs: from.epochMilliseconds,
          toMs: to.epochMilliseconds,
        },
      ),
    async digest(range: Range, inZone: string): Promise<Reply> {
      const subject = { id: 'd1', channel: CHANNEL, zone: inZone, hosts: [] };
      return (await composeDigest(subject, range, { late: false, tail: null })).message;
    },
    /** The text of the tab, block by block. */
    async home(): Promise<readonly string[]> {
      const contents = await Array.fromAsync(loadHome('U1'));
      const [content] = contents.slice(-1);
      if (content === undefined) throw new Error('there is no tab');
      return homeView(content, '/waf').blocks.flatMap((block) =>
        'text' in block && typeof block.text === 'object' && block.text !== null ? [block.text.text] : [],
      );
    },
    runWatch: () => runner.run(ref, { attempt: 1 }),
    watchRecord: () => runner.state(ref),
    close: () => store.close(),
  };
}

export type AskedSite = Awaited<ReturnType<typeof openAskedSite>>;
