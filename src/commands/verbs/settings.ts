/** `settings`: what a channel prefers. */
import { UsageError } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import { findHost, unknownHost } from '../host-words.ts';
import type { ChannelSettings } from '../ports.ts';
import type { Line, Reply } from '../reply.ts';
import type { Ask } from '../verb.ts';
import type { Word } from '../words.ts';

export async function answerSettings(ask: Ask): Promise<Reply> {
  const [name, ...values] = ask.sentence.own;
  if (name === undefined || name.lower === 'list') return show(ask, ask.settings, 'Settings of this channel');
  const next = change(ask, name, values);
  if (next === null) await ask.deps.settings.delete(ask.question.channel);
  else await ask.deps.settings.set(ask.question.channel, next);
  return show(ask, next ?? {}, 'Settings changed');
}

function change({ sentence, settings, aliases }: Ask, name: Word, values: readonly Word[]): ChannelSettings | null {
  const { text } = sentence;
  const [first] = values;
  const { zone: _zone, hosts: _hosts, ...others } = settings;
  switch (name.lower) {
    case 'reset':
      return null;
    case 'private':
    case 'public':
      return { ...settings, privately: name.lower === 'private' };
    case 'zone': {
      if (first === undefined) throw new UsageError('Which zone?', { text, example: 'settings zone Europe/Berlin' });
      if (first.lower === 'none') return { ...others, ...(settings.hosts ? { hosts: settings.hosts } : {}) };
      const zone = resolveZone(values.map((word) => word.text).join(' '));
      if (zone !== null) return { ...settings, zone };
      throw new UsageError(`“${first.text}” is not a time zone I know.`, {
        text,
        span: first,
        example: 'settings zone Europe/Berlin',
      });
    }
    case 'hosts': {
      const words = values.filter((word) => word.text !== ',' && word.lower !== 'and');
      if (words.length === 0) throw new UsageError('Which hosts?', { text, example: 'settings hosts shop' });
      if (['none', 'all'].includes(words[0]?.lower ?? ''))
        return { ...others, ...(settings.zone ? { zone: settings.zone } : {}) };
      const hosts = words.map((word) => {
        const host = findHost(word.text, aliases);
        if (host === null) throw unknownHost(text, word, aliases);
        return host.name;
      });
      return { ...settings, hosts };
    }
    default:
      throw new UsageError(`“${name.text}” is not a setting.`, {
        text,
        span: name,
        hint: 'There are zone, hosts, private and public.',
        example: 'settings zone Europe/Berlin',
      });
  }
}

function show({ deps, question, zone }: Ask, settings: ChannelSettings, title: string): Reply {
  const rest = question.userZone === null ? deps.zone : `each asker's own (yours is ${question.userZone})`;
  const body: Line[] = [
    [{ bold: 'Zone: ' }, settings.zone ?? rest],
    [{ bold: 'Hosts: ' }, settings.hosts?.join(', ') ?? 'all of the project'],
    [{ bold: 'Answers: ' }, settings.privately ? 'private, for the asker alone' : 'public, in the channel'],
  ];
  return {
    title,
    headline: [`Questions here are read in ${settings.zone ?? zone}.`],
    body,
    actions: [{ label: 'Change', sentence: 'settings', effect: 'modal' }],
    command: 'settings',
  };
}
