/** A workspace in which the bot is installed from one of its manifests. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { WorkspaceSpec } from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';

const PARAMETERS = z.object({
  properties: z.record(z.string(), z.object({ type: z.string(), title: z.string(), description: z.string() })),
  required: z.array(z.string()),
});
const STEP = z.object({
  title: z.string(),
  description: z.string(),
  input_parameters: PARAMETERS,
  output_parameters: PARAMETERS,
});
const MANIFEST = z.object({
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
  features: z.object({ agent_view: z.object({}).optional() }),
  functions: z.record(z.string(), STEP).optional(),
});

export const PARTNER = 'U0PARTNER1';

/** With somebody of another organization. */
export function workspaceFrom(file: string): WorkspaceSpec & { readonly users: NonNullable<WorkspaceSpec['users']> } {
  const { oauth_config, settings, features, functions = {} } = MANIFEST.parse(parse(readFileSync(file, 'utf8')));
  return {
    ...WORKSPACE,
    users: [
      ...WORKSPACE.users,
      { id: PARTNER, name: 'petra', realName: 'Petra of Partner Inc', tz: 'Europe/Vienna', teamId: 'T0PARTNER1' },
    ],
    app: {
      ...WORKSPACE.app,
      scopes: oauth_config.scopes.bot,
      events: settings.event_subscriptions.bot_events,
      agentView: features.agent_view !== undefined,
      functions,
    },
  };
}
