/** canvases.*: creating a canvas from Markdown, and sharing it. */
import { type JsonObject, objectAt, stringAt } from '../json.ts';
import type { SlackState } from '../state.ts';
import { type MethodEntry, type Reply, refuse } from './reply.ts';

const MAX_MARKDOWN = 1_048_576;
const MAX_TABLE_CELLS = 300;

/** What Slack's canvases don't take: other content than Markdown, too much of it, deep headings, large tables. */
function isAccepted(markdown: string): boolean {
  if (markdown.length > MAX_MARKDOWN || /^#{4,} /m.test(markdown)) return false;
  const tables = markdown.match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  return tables.every((table) => cellsIn(table) <= MAX_TABLE_CELLS);
}

const cellsIn = (table: string): number =>
  table
    .trim()
    .split('\n')
    .filter((_, at) => at !== 1)
    .reduce((sum, row) => sum + row.replaceAll('\\|', '').split('|').length - 2, 0);

const create = (args: JsonObject, state: SlackState): Reply => {
  const content = objectAt(args, 'document_content');
  const markdown = content === undefined ? '' : stringAt(content, 'markdown');
  if (markdown === undefined || (content !== undefined && content.type !== 'markdown'))
    return refuse('invalid_arguments');
  const tabIn = stringAt(args, 'channel_id');
  if (tabIn !== undefined && state.directory.channel(tabIn) === undefined) return refuse('channel_not_found');
  if (tabIn === undefined && state.directory.workspace.team.plan === 'free')
    return refuse('free_teams_cannot_create_non_tabbed_canvases');
  if (!isAccepted(markdown)) return refuse('canvas_creation_failed');
  const { id } = state.canvases.create({ title: stringAt(args, 'title') ?? 'Untitled', markdown, tabIn });
  return { ok: true, canvas_id: id };
};

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const share = (args: JsonObject, state: SlackState): Reply => {
  const [channels, users] = [namesIn(args.channel_ids), namesIn(args.user_ids)];
  const level = args.access_level;
  // One kind at a time.
  if ((level !== 'read' && level !== 'write') || channels.length > 0 === users.length > 0)
    return refuse('invalid_arguments');
  if (channels.some((id) => state.directory.channel(id) === undefined)) return refuse('channel_not_found');
  if (users.some((id) => state.directory.person(id) === undefined)) return refuse('user_not_found');
  const shared = state.canvases.share(stringAt(args, 'canvas_id') ?? '', [...channels, ...users], level);
  return shared === undefined ? refuse('canvas_not_found') : { ok: true, failed_to_update_channel_ids: [] };
};

export const CANVAS_METHODS: Readonly<Record<string, MethodEntry>> = {
  'canvases.create': { run: create, scopes: ['canvases:write'] },
  'canvases.access.set': { run: share, scopes: ['canvases:write'] },
};
