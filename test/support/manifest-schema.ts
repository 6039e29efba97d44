/**
 * The form of an app manifest, written from Slack's manifest reference, for the parts that ours have; anything else is refused. Slack
 * publishes a JSON schema (slackapi/manifest-schema), but not as a package.
 */
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const names = (max: number) => z.array(text(50)).max(max);

const parameters = z.strictObject({
  properties: z.record(
    z.string().regex(/^[a-z_]+$/),
    z.strictObject({
      type: z.enum([
        'string',
        'boolean',
        'number',
        'integer',
        'slack#/types/channel_id',
        'slack#/types/user_id',
        'slack#/types/user_context',
      ]),
      title: text(100),
      description: text(200),
    }),
  ),
  required: z.array(z.string()),
});

const step = z
  .strictObject({
    title: text(50),
    description: text(200),
    input_parameters: parameters,
    output_parameters: parameters,
  })
  .refine(
    ({ input_parameters: inputs, output_parameters: outputs }) =>
      [inputs, outputs].every(({ properties, required }) => required.every((name) => name in properties)),
    'requires what it does not declare',
  );

const features = z.strictObject({
  app_home: z.strictObject({
    home_tab_enabled: z.boolean(),
    messages_tab_enabled: z.boolean(),
    messages_tab_read_only_enabled: z.boolean(),
  }),
  bot_user: z.strictObject({ display_name: text(80), always_online: z.boolean() }),
  slash_commands: z
    .array(
      z.strictObject({
        command: z.string().regex(/^\/\S{1,31}$/),
        description: text(2_000),
        usage_hint: text(1_000),
        should_escape: z.boolean(),
      }),
    )
    .max(50),
  shortcuts: z
    .array(
      z.strictObject({
        name: text(24),
        type: z.enum(['message', 'global']),
        callback_id: text(255),
        description: text(150),
      }),
    )
    .max(10),
  agent_view: z
    .strictObject({
      agent_description: text(300),
      suggested_prompts: z.array(z.strictObject({ title: text(100), message: text(200) })).max(4),
    })
    .optional(),
});

const settings = z.strictObject({
  function_runtime: z.literal('remote').optional(),
  event_subscriptions: z.strictObject({ bot_events: names(100) }),
  interactivity: z.strictObject({ is_enabled: z.boolean() }),
  org_deploy_enabled: z.boolean(),
  socket_mode_enabled: z.boolean(),
  token_rotation_enabled: z.boolean(),
});

export const APP_MANIFEST = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(2), minor_version: z.int() }),
  display_information: z.strictObject({
    name: text(35),
    description: text(140),
    background_color: z.string().regex(/^#[0-9a-f]{3}([0-9a-f]{3})?$/i),
    long_description: z.string().min(175).max(4_000),
  }),
  features,
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: names(255) }) }),
  settings,
  functions: z.record(text(100), step).optional(),
  mcp_servers: z
    .record(
      z.string(),
      z.strictObject({
        url: z.url({ protocol: /^https$/ }).max(500),
        auth_type: z.enum(['no_auth', 'slack_identity_auth', 'dynamic_client_registration', 'manual_auth']),
      }),
    )
    .optional(),
});
