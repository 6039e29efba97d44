/** The Home tab as blocks. */
import type { HomeView, KnownBlock } from '@slack/types';
import type { HomeEntry } from '../commands/home.ts';
import type { Finding } from '../commands/ports.ts';
import type { Line } from '../commands/reply.ts';
import { COMMANDS } from '../commands/table.ts';
import { actionsBlock } from './blocks/actions-block.ts';
import { clip, LIMITS } from './blocks/limits.ts';
import { renderLine } from './blocks/mrkdwn.ts';

export interface HomeOverview {
  readonly entries: readonly HomeEntry[];
  readonly findings: readonly Finding[];
}

/** A view has at most a hundred blocks; an entry takes up to three of them. */
const MOST_ENTRIES = 25;

export function homeView({ entries, findings }: HomeOverview, command: string): HomeView {
  return {
    type: 'home',
    blocks: [
      header('Your digests and watches'),
      ...(entries.length === 0 ? [section(nothingYet(command))] : entries.slice(0, MOST_ENTRIES).flatMap(entryBlocks)),
      ...(entries.length > MOST_ENTRIES
        ? [section([`${entries.length - MOST_ENTRIES} more are not shown here.`])]
        : []),
      { type: 'divider' },
      header('The service'),
      ...findings.slice(0, 10).map(findingBlock),
      { type: 'divider' },
      header('Things to ask'),
      section(
        COMMANDS.flatMap(
          ({ summary, examples }, index): Line => [
            index === 0 ? '' : '\n',
            { code: `${command} ${examples[0]}` },
            ` ${summary}`,
          ],
        ),
      ),
    ],
  };
}

const header = (text: string): KnownBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: clip(text, LIMITS.header) },
});

function section(line: Line): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: renderLine(line, LIMITS.section) } };
}

function nothingYet(command: string): Line {
  return ['Nothing yet. In a channel, try ', { code: `${command} help` }, '.'];
}

function entryBlocks({ lines, actions }: HomeEntry, place: number): KnownBlock[] {
  const joined = lines.flatMap((line, index): Line => (index === 0 ? line : ['\n', ...line]));
  return [section(joined), ...actionsBlock(actions, place * 10)];
}

function findingBlock({ what, ok, says, fix }: Finding): KnownBlock {
  return section([ok ? '✓ ' : '✗ ', { bold: `${what}: ` }, says, ...(fix === undefined ? [] : [` Fix: ${fix}`])]);
}
