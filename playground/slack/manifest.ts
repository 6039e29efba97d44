/** What an app manifest says about the app: its name, commands, shortcuts, scopes, events and workflow steps. */
import { z } from 'zod';
import { formatProblem, problemsOf } from './validation/problem.ts';
import type { AppSettings } from './workspace.ts';

const parameters = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string() })),
  required: z.array(z.string()).optional(),
});

const manifestSchema = z.looseObject({
  display_information: z.looseObject({ name: z.string() }),
  features: z
    .looseObject({
      agent_view: z.looseObject({}).optional(),
      assistant_view: z.looseObject({}).optional(),
      shortcuts: z
        .array(z.looseObject({ name: z.string(), type: z.enum(['message', 'global']), callback_id: z.string() }))
        .optional(),
      slash_commands: z.array(z.looseObject({ command: z.string().startsWith('/') })).optional(),
    })
    .optional(),
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()).optional() }).optional() }).optional(),
  settings: z
    .looseObject({
      event_subscriptions: z.looseObject({ bot_events: z.array(z.string()).optional() }).optional(),
    })
    .optional(),
  functions: z
    .record(
      z.string(),
      z.looseObject({
        title: z.string(),
        description: z.string(),
        input_parameters: parameters,
        output_parameters: parameters,
      }),
    )
    .optional(),
});

/** Nothing without a manifest. Throws if it isn't one. */
export function readManifest(manifest: unknown): Partial<AppSettings> {
  if (manifest === undefined) return {};
  const problems = problemsOf(manifestSchema, manifest, [], 'invalid_manifest');
  if (problems.length > 0) throw new Error(`The manifest is invalid:\n${problems.map(formatProblem).join('\n')}`);
  const { display_information, features = {}, oauth_config, settings, functions = {} } = manifestSchema.parse(manifest);
  return {
    name: display_information.name,
    scopes: oauth_config?.scopes?.bot ?? [],
    commands: (features.slash_commands ?? []).map(({ command }) => command),
    events: settings?.event_subscriptions?.bot_events ?? [],
    shortcuts: (features.shortcuts ?? []).map(({ callback_id, name, type }) => ({
      callbackId: callback_id,
      name,
      type,
    })),
    agentView: features.agent_view !== undefined,
    assistantView: features.assistant_view !== undefined,
    functions,
  };
}
