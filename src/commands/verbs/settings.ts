/** `settings`: what a channel prefers. */
import { UsageError } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import { findHost, unknownHost } from '../grammar/hosts.ts';
import { refuseLeftover } from '../grammar/sentence.ts';
import type { Word } from '../grammar/tokens.ts';
import type { ChannelSettings } from '../ports.ts';
import type { Line, Reply } from '../replies/reply.ts';
import type { Ask } from '../verb.ts';

/** What to set, `undefined` to take it away; `null` takes everything away. */
type Change = { readonly [K in keyof ChannelSettings]: ChannelSettings[K] | undefined } | null;

export async function answerSettings(ask: Ask): Promise<Reply> {
  const [name, ...values] = ask.sentence.own;
  const { deps, question, sentence } = ask;
  if (name === undefined || name.lower === 'list') {
    refuseLeftover(sentence.text, values);
    return show(ask, ask.settings, 'Settings of this channel');
  }
  const change = readChange(ask, name, values);
  const next = change === null ? {} : withChange(ask.settings, change);
  if (Object.keys(next).length === 0) await deps.settings.delete(question.channel);
  else await deps.settings.set(question.channel, next);
  return show(ask, next, 'Settings changed');
}

function withChange(settings: ChannelSettings, change: NonNullable<Change>): ChannelSettings {
  const { zone, hosts, privately } = { ...settings, ...change };
  return {
    ...(zone === undefined ? {} : { zone }),
    ...(hosts === undefined ? {} : { hosts }),
    ...(privately === undefined ? {} : { privately }),
  };
}

const PUBLICITY: ReadonlyMap<string, boolean> = new Map([
  ['private', true],
  ['privately', true],
  ['public', false],
  ['publicly', false],
]);

function readChange(ask: Ask, name: Word, values: readonly Word[]): Change {
  if (name.lower === 'zone') return { zone: readZone(ask, values) };
  if (name.lower === 'hosts' || name.lower === 'host') return { hosts: readHostNames(ask, values) };
  const privately = PUBLICITY.get(name.lower);
  if (privately !== undefined || name.lower === 'reset') {
    refuseLeftover(ask.sentence.text, values);
    return privately === undefined ? null : { privately };
  }
  throw new UsageError(`“${name.text}” is not a setting.`, {
    text: ask.sentence.text,
    span: name,
    hint: 'There are zone, hosts, private, public and reset.',
    example: 'settings zone Europe/Berlin',
  });
}

function readZone({ sentence: { text } }: Ask, values: readonly Word[]): string | undefined {
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

function readHostNames({ sentence: { text }, aliases }: Ask, values: readonly Word[]): readonly string[] | undefined {
  const words = values.filter((word) => word.quoted || (word.text !== ',' && word.lower !== 'and'));
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
  return [...new Set(names)];
}

function show({ deps, question }: Ask, settings: ChannelSettings, title: string): Reply {
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
    command: 'settings',
  };
}
