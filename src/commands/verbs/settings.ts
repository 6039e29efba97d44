/** `settings`: what a channel prefers. */
import { UsageError } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import type { ChannelSettings, CommandContext } from '../context.ts';
import { commandOf, type SubCommandName } from '../grammar/command-table.ts';
import { assertFewHosts, findHost, unknownHost } from '../grammar/hosts.ts';
import { refuseLeftover } from '../grammar/sentence.ts';
import type { Word } from '../grammar/tokens.ts';
import type { Line, Reply } from '../replies/reply.ts';

/** What to set, `undefined` to take it away; `null` takes everything away. */
type Change = { readonly [K in keyof ChannelSettings]: ChannelSettings[K] | undefined } | null;

export async function answerSettings(context: CommandContext): Promise<Reply> {
  const { deps, question, sentence, settings } = context;
  if (sentence.subCommand === 'list') {
    refuseLeftover(sentence.text, sentence.args);
    return show(context, settings, 'Settings of this channel');
  }
  const change = readChange(context);
  const next = change === null ? {} : withChange(settings, change);
  if (Object.keys(next).length === 0) await deps.settings.delete(question.channel);
  else await deps.settings.set(question.channel, next);
  return show(context, next, 'Settings changed');
}

function withChange(settings: ChannelSettings, change: NonNullable<Change>): ChannelSettings {
  const { zone, hosts, privately } = { ...settings, ...change };
  return {
    ...(zone === undefined ? {} : { zone }),
    ...(hosts === undefined ? {} : { hosts }),
    ...(privately === undefined ? {} : { privately }),
  };
}

const KEYWORDS = commandOf('settings').subCommands ?? [];

/** One setting or several: `zone Europe/Berlin hosts shop, blog private`. */
function readChange(context: CommandContext): Change {
  const { text, subCommand, args } = context.sentence;
  if (subCommand === null) {
    const [word] = args;
    throw new UsageError(`“${word?.text}” is not a setting.`, {
      text,
      ...(word === undefined ? {} : { span: word }),
      hint: 'There are zone, hosts, private, public and reset.',
      example: 'settings zone Europe/Berlin',
    });
  }
  let change: Change = {};
  let rest = { name: subCommand, words: args.filter(({ text: word, quoted }) => quoted || word !== ',') };
  for (;;) {
    const end = rest.words.findIndex((word) => keywordOf(word) !== undefined);
    const values = end < 0 ? rest.words : rest.words.slice(0, end);
    const next = rest.words[end];
    const one = readOne(context, rest.name, values);
    change = one === null || change === null ? null : { ...change, ...one };
    const name = next === undefined ? undefined : keywordOf(next);
    if (name === undefined) return change;
    rest = { name, words: rest.words.slice(end + 1) };
  }
}

function keywordOf({ lower, quoted }: Word): SubCommandName | undefined {
  return quoted ? undefined : KEYWORDS.find(({ words, effect }) => effect === 'change' && words.includes(lower))?.name;
}

function readOne(context: CommandContext, name: SubCommandName, values: readonly Word[]): Change {
  if (name === 'zone') return { zone: readZone(context, values) };
  if (name === 'hosts') return { hosts: readHostNames(context, values) };
  refuseLeftover(context.sentence.text, values);
  return name === 'reset' ? null : { privately: name === 'private' };
}

function readZone({ sentence: { text } }: CommandContext, values: readonly Word[]): string | undefined {
  const example = 'settings zone Europe/Berlin';
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) throw new UsageError('Which zone?', { text, example });
  const name = values.map((word) => word.text).join(' ');
  if (name.toLowerCase() === 'none') return undefined;
  const zone = resolveZone(name);
  if (zone !== null) return zone;
  const span = { start: first.start, end: last.end };
  throw new UsageError(`“${name}” is not a time zone I know.`, { text, span, example });
}

function readHostNames(
  { sentence: { text }, aliases }: CommandContext,
  values: readonly Word[],
): readonly string[] | undefined {
  const words = values.filter((word) => word.quoted || word.lower !== 'and');
  const [first, ...more] = words;
  if (first === undefined) throw new UsageError('Which hosts?', { text, example: 'settings hosts none' });
  if (!first.quoted && (first.lower === 'none' || first.lower === 'all')) {
    refuseLeftover(text, more);
    return undefined;
  }
  const names = words.map((word) => {
    const host = findHost(word.text, aliases);
    if (host === null) throw unknownHost(text, word, aliases);
    return host.name;
  });
  const different = [...new Set(names)];
  assertFewHosts(different);
  return different;
}

function show({ deps, question }: CommandContext, settings: ChannelSettings, title: string): Reply {
  const { zone, hosts, privately } = settings;
  const own = question.userZone === null ? deps.zone : `each asker's own (yours is ${question.userZone})`;
  const body: Line[] = [
    [{ bold: 'Zone: ' }, zone ?? own],
    [{ bold: 'Hosts: ' }, hosts?.join(', ') ?? 'all of the project'],
    [{ bold: 'Answers: ' }, privately ? 'private, for the asker alone' : 'public, in the channel'],
  ];
  return {
    title,
    headline: [`Your questions here are read in ${zone ?? question.userZone ?? deps.zone}.`],
    body,
    actions: [{ label: 'Change', sentence: 'settings', effect: 'modal' }],
  };
}
