/** `watch`: the channel's watches, and what people tell them: acknowledged, snoozed. */
import { BotError, UsageError } from '../../errors.ts';
import { refuseLeftover } from '../grammar/sentence.ts';
import { keepOnly, plainPunctuation, type Word } from '../grammar/tokens.ts';
import { assertMayChange } from '../permission.ts';
import type { SubscriptionSummary } from '../ports.ts';
import type { Reply } from '../replies/reply.ts';
import { bookingActions, bookingLines, listReply, type SubscriptionKind } from '../replies/subscription-lines.ts';
import type { Ask } from '../verb.ts';
import { aboutSentence, chooseBooking } from './subscription-choice.ts';

const KIND: SubscriptionKind = {
  verb: 'watch',
  name: 'Watches',
  names: 'watches',
  example: 'watch attacks over 500 per 15m',
};

type Act = (ask: Ask, words: readonly Word[]) => Promise<Reply>;

const ACTS: Readonly<Record<string, Act>> = {
  list: ({ deps, question }) => listOf(deps.watches.list(question.channel), deps.command),
  async pause(ask, words) {
    const { id } = await mine(ask, words);
    return changed('Watch paused', await ask.deps.watches.pause(ask.question.channel, id, ask.question.user));
  },
  async resume(ask, words) {
    const { id } = await mine(ask, words);
    return changed('Watch resumed', await ask.deps.watches.resume(ask.question.channel, id));
  },
  async remove(ask, words) {
    const { id } = await mine(ask, words);
    const { what } = await ask.deps.watches.remove(ask.question.channel, id);
    return { title: 'Watch removed', headline: ['Nobody watches for ', { bold: what }, ' here any more.'] };
  },
  ack,
  snooze,
  async wake(ask, words) {
    const { id } = await chosen(ask, words);
    const { what } = await ask.deps.watches.wake(ask.question.channel, id);
    return { title: 'Watch awake', headline: ['The watch for ', { bold: what }, ' speaks again.'] };
  },
};

const SYNONYMS: Readonly<Record<string, string>> = {
  acknowledge: 'ack',
  stop: 'pause',
  start: 'resume',
  continue: 'resume',
  delete: 'remove',
  rm: 'remove',
  unsnooze: 'wake',
};

export async function answerWatch(ask: Ask): Promise<Reply> {
  const { sentence } = ask;
  const words = sentence.own.filter(({ text }) => text !== ',');
  const named = verbWord(sentence.text);
  // `watches` lists, `ack` and `snooze 2h` may stand alone; a bare `watch` makes one.
  if (named === 'watches' && words.length === 0)
    return listOf(ask.deps.watches.list(ask.question.channel), ask.deps.command);
  if (named === 'ack' || named === 'snooze') return (named === 'ack' ? ack : snooze)(ask, words);
  const [first, ...rest] = words;
  const name = first === undefined ? undefined : (SYNONYMS[first.lower] ?? first.lower);
  const act = name !== undefined && Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  return act === undefined ? create(ask) : act(ask, rest);
}

function verbWord(text: string): string | undefined {
  return /\b(watches|watch|snooze|ack)\b/i.exec(plainPunctuation(text))?.[1]?.toLowerCase();
}

async function listOf(list: Promise<readonly SubscriptionSummary[]>, command: string): Promise<Reply> {
  return listReply(await list, KIND, command);
}

async function chosen(ask: Ask, [word, ...more]: readonly Word[]): Promise<SubscriptionSummary> {
  refuseLeftover(ask.sentence.text, more);
  return chooseBooking(ask, ask.deps.watches, KIND, word);
}

/** Changes what others see, so admins can keep it to themselves. */
async function mine(ask: Ask, words: readonly Word[]): Promise<SubscriptionSummary> {
  assertMayChange(ask.deps.policy, ask.question);
  return chosen(ask, words);
}

async function create(ask: Ask): Promise<Reply> {
  const { sentence, deps, question, zone } = ask;
  assertMayChange(deps.policy, question);
  const text = keepOnly(plainPunctuation(sentence.text), sentence.own);
  const hosts = sentence.hosts.length > 0 ? sentence.hosts.map(({ name }) => name) : (ask.settings.hosts ?? []);
  const made = await deps.watches
    .create({ channel: question.channel, owner: question.user, text, zone, hosts })
    .catch((error: unknown) => {
      throw aboutSentence(error, ask, KIND);
    });
  return {
    ...changed('Watch made', made),
    body: [['It speaks only when something changes: one message, edited while it lasts, closed when it is calm.']],
  };
}

/** Whoever is on call may say so; no admin is needed for that. */
async function ack(ask: Ask, words: readonly Word[]): Promise<Reply> {
  const { deps, question } = ask;
  const { id, what } = words.length > 0 ? await chosen(ask, words) : await openOne(ask);
  if (!(await deps.watches.isOpen(question.channel, id))) {
    throw new BotError('not_found', 'There is nothing to acknowledge: all is calm.');
  }
  await deps.watches.acknowledge(question.channel, id, question.user);
  return { title: 'Acknowledged', headline: [{ user: question.user }, ' has it in hand: ', { bold: what }, '.'] };
}

/** Of several watches, the one where something is going on. */
async function openOne(ask: Ask): Promise<SubscriptionSummary> {
  const { deps, question } = ask;
  const list = await deps.watches.list(question.channel);
  const open = await Promise.all(list.map(({ id }) => deps.watches.isOpen(question.channel, id)));
  const candidates = list.filter((_, at) => open[at]);
  const [only] = candidates;
  return candidates.length === 1 && only !== undefined ? only : chosen(ask, []);
}

const LENGTH = /^(\d{1,4})(m|min|mins|minutes?|h|hrs?|hours?|d|days?)?$/;
const LONGEST_HOURS = 7 * 24;

async function snooze(ask: Ask, words: readonly Word[]): Promise<Reply> {
  const { deps, question, sentence, now, zone } = ask;
  const [first, second, ...others] = words.filter(({ lower }) => lower !== 'for');
  const apart = second !== undefined && /^[a-z]+$/.test(second.lower) && /^\d+$/.test(first?.lower ?? '');
  const match = LENGTH.exec(first === undefined ? '2h' : `${first.lower}${apart ? second.lower : ''}`);
  const unit = match?.[2]?.[0] ?? 'm';
  const hours = Number(match?.[1] ?? 0) * ({ m: 1 / 60, h: 1, d: 24 }[unit] ?? 0);
  if (hours <= 0 || hours > LONGEST_HOURS) {
    throw new UsageError('For how long? From a minute to a week.', {
      text: sentence.text,
      ...(first === undefined ? {} : { span: first }),
      example: 'watch snooze 2h',
    });
  }
  const named = apart ? others : second === undefined ? [] : [second, ...others];
  const until = now.add({ minutes: Math.round(hours * 60) });
  const subscription = await chosen(ask, named);
  await deps.watches.snooze(question.channel, subscription.id, question.user, until);
  return {
    title: 'Snoozed',
    headline: [
      'The watch for ',
      { bold: subscription.what },
      ' posts nothing new until ',
      { instant: until, zone },
      '.',
    ],
    actions: [{ label: 'Wake it', sentence: `watch wake ${subscription.id}`, effect: 'thread' }],
  };
}

function changed(title: string, subscription: SubscriptionSummary): Reply {
  const [what = [], ...rest] = bookingLines(subscription);
  return {
    title,
    headline: [...what, '.'],
    body: rest,
    actions: bookingActions(subscription, KIND),
    command: 'watches',
  };
}
