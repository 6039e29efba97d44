/**
 * Reports as documents: a Markdown file with people's names, and a canvas that the channel can read and edit. A canvas that
 * Slack refuses never costs the answer or the file: a line says why, and what to do.
 */
import type { WebClient } from '@slack/web-api';
import { documentMarkdown, markdownFile } from '../../replies/document.ts';
import type { Attachment, Line, ReportDocument } from '../../replies/reply.ts';
import { type CallDependencies, slackFailure, withinLimit } from '../transport/web-api.ts';

export interface WorkspaceAddress {
  /** `https://northwind.slack.com/`; `null` until Slack has said. */
  readonly url: string | null;
  readonly teamId: string | null;
}

interface ReportDocumentDependencies extends CallDependencies {
  readonly identity: WorkspaceAddress;
  /** `null` if unknown. */
  readonly userName: (user: string) => Promise<string | null>;
}

export interface ReportDocuments {
  /** With names instead of IDs, because a file outside of Slack can't look them up. */
  asFile(document: ReportDocument): Promise<Attachment>;
  /** Creates a canvas for whoever can see the answer. The line says where it is, or why there is none. Never rejects. */
  asCanvas(document: ReportDocument, target: { readonly channel: string; readonly user: string }): Promise<Line>;
}

const CANVAS_LIMIT_MS = 10_000;
const FILE_HAS_IT = ' The Markdown file has the same content.';

/** Why Slack creates no canvas, in a way that says what to do. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  [
    'missing_scope',
    'No canvas: this app may not create one. An admin can add the scope canvases:write by installing it again from manifest.yml.',
  ],
  ['free_teams_cannot_create_non_tabbed_canvases', 'No canvas: your Slack plan doesn’t include them.'],
  ['team_tier_cannot_create_channel_canvases', 'No canvas: your Slack plan doesn’t include them.'],
  ['canvas_disabled_user_team', 'No canvas: they are switched off in this workspace.'],
  ['restricted_action', 'No canvas: this workspace doesn’t let apps create them.'],
]);

export function createReportDocuments(deps: ReportDocumentDependencies): ReportDocuments {
  const { clients, retryOnRateLimit, identity, clock, log } = deps;

  async function namesIn(document: ReportDocument): Promise<ReadonlyMap<string, string | null>> {
    const ids = new Set<string>();
    documentMarkdown(document, {
      user: (id) => {
        ids.add(id);
        return id;
      },
    });
    return new Map(await Promise.all([...ids].map(async (id) => [id, await deps.userName(id)] as const)));
  }

  async function create(document: ReportDocument, { channel, user }: { channel: string; user: string }) {
    const markdown = documentMarkdown(document, { user: (id) => `![](@${id})` });
    const content = { title: document.title, document_content: { type: 'markdown', markdown } } as const;
    const { canvas_id: id = '' } = await callOnce((client) => client.canvases.create(content));
    // It belongs to the bot, so others can't see it yet. A direct message isn't a channel.
    const access = { canvas_id: id, access_level: 'write' } as const;
    await callOnce((client) =>
      channel.startsWith('D')
        ? client.canvases.access.set({ ...access, user_ids: [user] })
        : client.canvases.access.set({ ...access, channel_ids: [channel] }),
    );
    return id;
  }

  /** Not repeated after a doubtful outcome: a second canvas is worse than pressing the button again. */
  const callOnce = <T>(call: (client: WebClient) => Promise<T>): Promise<T> =>
    withinLimit(clock, CANVAS_LIMIT_MS, () => retryOnRateLimit(() => call(clients.post)));

  return {
    async asFile(document) {
      const names = await namesIn(document);
      const content = markdownFile(document, { user: (id) => names.get(id) ?? `@${id}` });
      return { name: `${document.name}.md`, title: document.title, content };
    },
    async asCanvas(document, target) {
      try {
        const id = await create(document, target);
        const { url, teamId } = identity;
        const says = document.title;
        return url === null || teamId === null
          ? ['The report is a canvas now: ', { bold: says }]
          : ['The report is a canvas now: ', { link: `${url}docs/${teamId}/${id}`, says }];
      } catch (error) {
        const failure = slackFailure(error);
        const reason = failure?.kind === 'refused' ? failure.reason : '';
        log.warn({ err: error }, 'could not create a canvas');
        const why = REFUSALS.get(reason) ?? 'I couldn’t create the canvas just now. Try again in a minute.';
        return [why + FILE_HAS_IT];
      }
    },
  };
}
