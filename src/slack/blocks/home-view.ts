/** The Home tab as Block Kit. */
import type { HomeView, KnownBlock } from '@slack/types';
import { COMMANDS } from '../../commands/grammar/command-table.ts';
import type { Finding } from '../../commands/ports.ts';
import type { Line } from '../../commands/replies/reply.ts';
import type { HomeEntry } from '../../commands/replies/subscription-lines.ts';
import { findingLine } from '../../commands/verbs/doctor.ts';
import { homeButtons } from './buttons.ts';
import { LIMITS } from './limits.ts';
import { clip, renderLine } from './mrkdwn.ts';

export interface HomeContent {
  /** `null` while they cannot be read. */
  readonly entries: readonly HomeEntry[] | null;
  /** `null` where the person may not ask for them. */
  readonly findings: readonly Finding[] | null;
  /** The channels the bot answers in, for somebody who may ask nowhere else. */
  readonly answersIn: readonly string[] | null;
}

/** A view has at most a hundred blocks; an entry takes two of them. */
const MAX_ENTRIES = 30;
const ACTION_IDS_PER_ENTRY = 10;
const MAX_FINDINGS = 15;
const MAX_CHANNELS = 20;

export function homeView({ entries, findings, answersIn }: HomeContent, command: string): HomeView {
  return {
    type: 'home',
    blocks: [
      header('Your digests and watches'),
      ...(entries === null ? [section(['They cannot be read at the moment.'])] : entryList(entries, command)),
      ...(findings === null ? [] : serviceBlocks(findings)),
      ...(answersIn === null ? [] : channelBlocks(answersIn)),
      { type: 'divider' },
      header('Things to ask'),
      ...COMMANDS.map(({ summary, examples }) => section([{ code: `${command} ${examples[0]}` }, ` ${summary}`])),
    ],
  };
}

function serviceBlocks(findings: readonly Finding[]): KnownBlock[] {
  const lines = findings.slice(0, MAX_FINDINGS).map((finding) => section(findingLine(finding)));
  return [{ type: 'divider' }, header('The service'), ...lines];
}

function channelBlocks(channels: readonly string[]): KnownBlock[] {
  const names = channels.filter((id) => !id.startsWith('D')).slice(0, MAX_CHANNELS);
  const list = names.flatMap((channel, at): Line => [at === 0 ? '' : ', ', { channel }]);
  return [{ type: 'divider' }, header('Where I answer'), section(['Ask me in ', ...list, '.'])];
}

const header = (text: string): KnownBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: clip(text, LIMITS.header) },
});

function section(line: Line): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: renderLine(line, LIMITS.section), verbatim: true } };
}

function entryList(entries: readonly HomeEntry[], command: string): KnownBlock[] {
  if (entries.length === 0) {
    const [digest, watch] = [{ code: `${command} digest daily at 09:00` }, { code: `${command} watch` }];
    return [section(['Nothing yet. In a channel, try ', digest, ' or ', watch, '.'])];
  }
  const more = entries.length - MAX_ENTRIES;
  return [
    ...entries.slice(0, MAX_ENTRIES).flatMap(entryBlocks),
    ...(more > 0 ? [section([`${more} more are not shown here.`])] : []),
  ];
}

function entryBlocks({ lines, actions, channel }: HomeEntry, index: number): KnownBlock[] {
  const joined = lines.flatMap((line, at): Line => (at === 0 ? line : ['\n', ...line]));
  return [section(joined), ...homeButtons(actions, channel, index * ACTION_IDS_PER_ENTRY)];
}
