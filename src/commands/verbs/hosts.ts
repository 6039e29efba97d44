/** `hosts`: the names people use for domain IDs. */
import { UsageError } from '../../errors.ts';
import { parseRange } from '../../time/index.ts';
import type { CommandContext } from '../context.ts';
import { type HostAlias, isDomainId, quoteName } from '../grammar/hosts.ts';
import { isReserved, refuseLeftover } from '../grammar/sentence.ts';
import type { Word } from '../grammar/tokens.ts';
import type { Reply } from '../replies/reply.ts';

const MOST_HOSTS = 500;
const MOST_SHOWN = 90;
/** Quotes and brackets have a meaning in sentences; invisible characters cannot be typed again. */
const NOT_IN_NAMES = /["<>]|\p{C}/u;

export async function answerHosts(context: CommandContext): Promise<Reply> {
  const { text, subCommand, args } = context.sentence;
  const values = args.filter((word) => word.quoted || word.text !== ',');
  if (subCommand === 'list') {
    refuseLeftover(text, values);
    return listHosts(context);
  }
  if (subCommand === 'add') return addHost(context, values);
  if (subCommand === 'remove') return removeHost(context, values);
  const [word] = values;
  throw new UsageError(`“${word?.text}” is not something hosts can do.`, {
    text,
    ...(word === undefined ? {} : { span: word }),
    hint: 'It can list, add and remove.',
    example: 'hosts add shop <domain ID>',
  });
}

function listHosts({ aliases, deps }: CommandContext): Reply {
  if (aliases.length === 0) {
    return {
      title: 'Hosts',
      headline: [
        'No names yet. Add one with ',
        { code: `${deps.command} hosts add shop <domain ID>` },
        '; then ',
        { code: 'on shop' },
        ' works everywhere.',
      ],
      actions: [{ label: 'Add a host', sentence: 'hosts add', effect: 'modal', style: 'primary' }],
    };
  }
  return {
    title: 'Hosts',
    headline: [{ bold: String(aliases.length) }, aliases.length === 1 ? ' name is known.' : ' names are known.'],
    table: {
      columns: [
        { name: 'Name', align: 'left' },
        { name: 'Domain ID', align: 'left' },
      ],
      rows: aliases.slice(0, MOST_SHOWN).map(({ name, id }) => [name, id]),
    },
    ...(aliases.length > MOST_SHOWN ? { notes: [[`${aliases.length - MOST_SHOWN} more are not shown.`]] } : {}),
    actions: [{ label: 'Add a host', sentence: 'hosts add', effect: 'modal' }],
  };
}

async function addHost(context: CommandContext, words: readonly Word[]): Promise<Reply> {
  const { sentence, deps, question, aliases, now } = context;
  const [name, id, extra] = words;
  const example = 'hosts add shop 3ac26c59e15a4a11bb680a103a29ddb6';
  if (name === undefined || id === undefined) {
    throw new UsageError('A name and a domain ID are needed.', { text: sentence.text, example });
  }
  const refuse = (message: string, span: Word): never => {
    throw new UsageError(message, { text: sentence.text, span, example });
  };
  if (extra !== undefined) refuse('That is one word too many; put a name of several words in quotes.', extra);
  if (name.text.trim() === '' || name.text.length > 60 || NOT_IN_NAMES.test(name.text))
    refuse('A name has 1 to 60 characters, without quotes and brackets.', name);
  if (!isDomainId(id.text)) refuse('That does not look like a domain ID: 16 to 64 letters and digits.', id);
  if (isDomainId(name.text)) refuse('That is a domain ID already; a name must not look like one.', name);
  if (isReserved(name.text.trim()) || readsAsTime(name.text, now)) {
    refuse('That word already has a meaning in a sentence, so it cannot be a name.', name);
  }
  const before = aliases.find((alias) => alias.name.toLowerCase() === name.lower);
  if (before === undefined && aliases.length >= MOST_HOSTS)
    refuse(`There are ${MOST_HOSTS} names already; remove one first.`, name);
  await deps.hosts.set(name.lower, { name: name.text, id: id.text, addedBy: question.user });
  return {
    title: before === undefined ? 'Host added' : 'Host changed',
    headline: [
      { bold: name.text },
      ' now means ',
      { code: id.text },
      before === undefined ? '.' : ` (was ${before.id}).`,
    ],
    body: [['Try ', { code: `${deps.command} timeline last 24h on ${quoteName(name.text)}` }]],
    actions: [{ label: 'Show it', sentence: `timeline last 24h on ${quoteName(name.text)}`, effect: 'thread' }],
  };
}

async function removeHost({ sentence, deps, aliases }: CommandContext, words: readonly Word[]): Promise<Reply> {
  const [name, ...more] = words;
  const example = `hosts remove ${quoteName(aliases[0]?.name ?? 'shop')}`;
  if (name === undefined) throw new UsageError('Which name should go?', { text: sentence.text, example });
  const alias: HostAlias | undefined = aliases.find((known) => known.name.toLowerCase() === name.lower);
  if (alias === undefined)
    throw new UsageError(`No host is called “${name.text}”.`, { text: sentence.text, span: name, example });
  refuseLeftover(sentence.text, more);
  await deps.hosts.delete(name.lower);
  return {
    title: 'Host removed',
    headline: [{ bold: alias.name }, ' is no longer a name for ', { code: alias.id }, '.'],
    body: [['To bring it back: ', { code: `${deps.command} hosts add ${quoteName(alias.name)} ${alias.id}` }]],
  };
}

/** Whether a name would be read as a time, and so could not be used for a host. */
function readsAsTime(name: string, now: Temporal.Instant): boolean {
  try {
    return parseRange(name, { now, zone: 'UTC' }).readAs === undefined;
  } catch {
    return false;
  }
}
