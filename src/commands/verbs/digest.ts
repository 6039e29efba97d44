/** `digest`: the channel's scheduled digests. */

import type { SubCommandName } from '../../grammar/command-table.ts';
import { refuseLeftover } from '../../grammar/sentence.ts';
import type { Line, Reply } from '../../replies/reply.ts';
import {
  historyTable,
  listReply,
  type SubscriptionWords,
  subscriptionActions,
  subscriptionLines,
} from '../../subscriptions/subscription-lines.ts';
import type { SubscriptionSummary } from '../../subscriptions/subscription-summary.ts';
import type { CommandContext } from '../context.ts';
import { chooseSubscription, createSubscription } from './choose-subscription.ts';

const KIND: SubscriptionWords = { verb: 'digest', name: 'Digests', names: 'digests', example: 'digest daily at 09:00' };

/** What can be done with a digest that is there, by sub-command. */
const HANDLERS: Readonly<
  Partial<Record<SubCommandName, (context: CommandContext, digest: SubscriptionSummary) => Promise<Reply>>>
> = {
  async preview({ deps, question }, { id }) {
    return { ...(await deps.digests.preview(question.channel, id)), quiet: true };
  },
  async pause({ deps, question }, digest) {
    if (digest.paused !== null) return changed('This digest is paused already', digest);
    return changed('Digest paused', await deps.digests.pause(question.channel, digest.id, question.user));
  },
  async resume({ deps, question }, digest) {
    if (digest.paused === null) return changed('This digest is not paused', digest);
    return changed('Digest resumed', await deps.digests.resume(question.channel, digest.id));
  },
  async remove({ deps, question }, { id }) {
    const removed = await deps.digests.remove(question.channel, id);
    return { title: 'Digest removed', headline: [{ bold: removed.what }, ' will not be posted any more.'] };
  },
  async history({ deps, question }, { id, what, zone }) {
    const runs = await deps.digests.history(question.channel, id);
    if (runs.length === 0) return { title: 'Digest history', headline: [{ bold: what }, ' has not run yet.'] };
    return {
      title: 'Digest history',
      headline: [{ bold: what }, runs.length === 1 ? ', its only run so far.' : `, its last ${runs.length} runs.`],
      table: historyTable(runs, zone),
    };
  },
  async run({ deps, question }, { id, what }) {
    await deps.digests.runNow(question.channel, id);
    return {
      title: 'Digest on its way',
      headline: [{ bold: what }, ' is being posted now, for the time since the last one.'],
      quiet: true,
    };
  },
};

export async function answerDigest(context: CommandContext): Promise<Reply> {
  const { sentence, deps, question } = context;
  const { subCommand, text } = sentence;
  const args = sentence.args.filter((word) => word.text !== ',' && !(subCommand === 'run' && word.lower === 'now'));
  if (subCommand === 'list') {
    refuseLeftover(text, args);
    return listReply(await deps.digests.list(question.channel), KIND, deps.command);
  }
  const handler = subCommand === null ? undefined : HANDLERS[subCommand];
  if (handler === undefined) {
    const hosts = sentence.hosts.map(({ name }) => name);
    return changed('Digest made', await createSubscription(context, deps.digests, KIND, hosts));
  }
  const [reference, ...more] = args;
  refuseLeftover(text, more);
  return handler(context, await chooseSubscription(context, deps.digests, KIND, reference));
}

function changed(title: string, digest: SubscriptionSummary): Reply {
  const { nextRuns, zone, paused } = digest;
  const [what = [], state = []] = subscriptionLines(digest);
  const runs: Line[] =
    paused !== null || nextRuns.length === 0
      ? [state]
      : [
          [
            'Next runs, in your time: ',
            ...nextRuns.flatMap((instant, at): Line => [at === 0 ? '' : ', ', { instant, zone }]),
            '.',
          ],
        ];
  return {
    title,
    headline: [...what, '.'],
    body: [...runs, ['Each covers the time since the one before.']],
    actions: [
      { label: 'Preview', sentence: `digest preview ${digest.id}`, effect: 'thread' },
      ...subscriptionActions(digest, KIND),
    ],
  };
}
