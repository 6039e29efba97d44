/** `digest`: the channel's scheduled digests. */

import { refuseLeftover } from '../grammar/sentence.ts';
import { keepOnly, plainPunctuation } from '../grammar/tokens.ts';
import type { SubscriptionSummary } from '../ports.ts';
import type { Line, Reply } from '../replies/reply.ts';
import {
  bookingActions,
  bookingLines,
  historyTable,
  listReply,
  type SubscriptionKind,
} from '../replies/subscription-lines.ts';
import type { Ask } from '../verb.ts';
import { aboutSentence, chooseBooking } from './subscription-choice.ts';

const KIND: SubscriptionKind = { verb: 'digest', name: 'Digests', names: 'digests', example: 'digest daily at 09:00' };

type Act = (ask: Ask, subscription: SubscriptionSummary) => Promise<Reply>;

/** What can be done with a digest that is there. */
const ACTS: Readonly<Record<string, Act>> = {
  async preview({ deps, question }, { id }) {
    return { ...(await deps.digests.preview(question.channel, id)), quiet: true };
  },
  async pause({ deps, question }, { id }) {
    return changed('Digest paused', await deps.digests.pause(question.channel, id, question.user));
  },
  async resume({ deps, question }, { id }) {
    return changed('Digest resumed', await deps.digests.resume(question.channel, id));
  },
  async remove({ deps, question }, { id }) {
    const removed = await deps.digests.remove(question.channel, id);
    return { title: 'Digest removed', headline: [{ bold: removed.what }, ' will not come any more.'] };
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

const SYNONYMS: Readonly<Record<string, string>> = {
  stop: 'pause',
  start: 'resume',
  continue: 'resume',
  delete: 'remove',
  rm: 'remove',
};

export async function answerDigest(ask: Ask): Promise<Reply> {
  const { sentence, deps, question } = ask;
  const words = sentence.own.filter(({ text }) => text !== ',');
  const [first, ...rest] = words;
  if (first === undefined || first.lower === 'list') {
    refuseLeftover(sentence.text, rest);
    return listReply(await deps.digests.list(question.channel), KIND, deps.command);
  }
  const name = Object.hasOwn(SYNONYMS, first.lower) ? SYNONYMS[first.lower] : first.lower;
  const act = name !== undefined && Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (act === undefined) return create(ask);
  const [reference, ...more] = name === 'run' ? rest.filter(({ lower }) => lower !== 'now') : rest;
  refuseLeftover(sentence.text, more);
  return act(ask, await chooseBooking(ask, deps.digests, KIND, reference));
}

async function create(ask: Ask): Promise<Reply> {
  const { sentence, deps, question, zone } = ask;
  // Only the verb's own words are left standing, in their places, so that a caret can be put under a fault.
  const text = keepOnly(plainPunctuation(sentence.text), sentence.own);
  const hosts = sentence.hosts.map(({ name }) => name);
  const made = await deps.digests
    .create({ channel: question.channel, owner: question.user, text, zone, hosts })
    .catch((error: unknown) => {
      throw aboutSentence(error, ask, KIND);
    });
  return changed('Digest made', made);
}

function changed(title: string, subscription: SubscriptionSummary): Reply {
  const { nextRuns, zone, paused } = subscription;
  const [what = [], state = []] = bookingLines(subscription);
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
      { label: 'Preview', sentence: `digest preview ${subscription.id}`, effect: 'thread' },
      ...bookingActions(subscription, KIND),
    ],
    command: 'digests',
  };
}
