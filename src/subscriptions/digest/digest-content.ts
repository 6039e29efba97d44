/** What a digest is about: a summary with numbers, or a handover to the next shift. */
import { BotError } from '../../errors.ts';
import { isAllowedChannel } from '../../projects/permissions.ts';
import type { Projects } from '../../projects/project.ts';
import type { Reply } from '../../replies/reply.ts';
import type { KeyValueStore } from '../../store/create-store.ts';
import type { Range } from '../../time/index.ts';
import type { Subscription } from '../subscription.ts';
import { handoverReply, type LastHandover } from '../watch/handover.ts';
import type { Watches } from '../watch/watch-commands.ts';
import { type DigestFacts, isHandover } from './digest-runner.ts';

type DigestContentName = 'summary' | 'handover';

/** Absent for a summary, as in what earlier versions stored. */
interface DigestDetails {
  readonly content: 'handover';
}

export const contentOf = (subscription: Pick<Subscription, 'details'>): DigestContentName =>
  isHandover(subscription) ? 'handover' : 'summary';

export const detailsOf = (content: DigestContentName): DigestDetails | undefined =>
  content === 'handover' ? { content } : undefined;

const WORD = /\b(?:(hand-?overs?)|summary)\b/i;

/** Blanks out `handover` or `summary` in a schedule; the other words keep their positions. */
export function takeContent(text: string): { readonly content?: DigestContentName; readonly rest: string } {
  const match = WORD.exec(text);
  if (match === null) return { rest: text };
  return {
    content: match[1] === undefined ? 'summary' : 'handover',
    rest: text.replace(WORD, (word) => ' '.repeat(word.length)),
  };
}

export function assertNoHosts(hosts: readonly string[]): void {
  if (hosts.length === 0) return;
  throw new BotError('usage', 'A handover is about all watches of the channel, so it has no hosts.', {
    hint: 'Leave them out, for example `digest handover daily at 08:00`.',
  });
}

interface HandoverDigestDeps {
  readonly projects: Projects;
  readonly handover: Watches['handover'];
  readonly handovers?: Pick<KeyValueStore<LastHandover>, 'set'> | undefined;
  readonly clock: { readonly now: () => Temporal.Instant };
}

/** A scheduled handover. It needs no numbers, so it's posted even while the service is down. */
export function createHandoverDigest({ projects, handover, handovers, clock }: HandoverDigestDeps) {
  return {
    async compose({ id, channel, zone }: Subscription, range: Range, { late }: DigestFacts): Promise<Reply> {
      const sinceMs = range.from.epochMilliseconds;
      const reply = await handoverReply(await handover(channel, sinceMs), {
        sinceMs,
        since: [],
        now: clock.now(),
        zone,
        projects: projects.filter((project) => isAllowedChannel(project, channel)),
        actions: [{ label: 'Pause this digest', sentence: `digest pause ${id}`, effect: 'thread' }],
      });
      return late
        ? { ...reply, notes: [['This handover is late. It covers all the time since the previous one.']] }
        : reply;
    },
    /** The next handover starts where this one ended. */
    noteDone: ({ channel, owner }: Subscription, { from, to }: Range) =>
      handovers?.set(channel, {
        atMs: to.epochMilliseconds,
        beforeMs: from.epochMilliseconds,
        by: owner,
        isDigest: true,
      }),
  };
}
