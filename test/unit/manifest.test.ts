/**
 * Code and manifests must agree, both ways: what the code listens to or calls is declared, and nothing else is. And each manifest
 * must be one that Slack accepts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROMPTS } from '../../src/slack/listeners/agent-view.ts';
import { AROUND_MESSAGE } from '../../src/slack/listeners/questions.ts';
import { STEPS } from '../../src/slack/listeners/steps.ts';
import { usageHint } from '../support/commands-page.ts';
import { APP_MANIFEST } from '../support/manifest-schema.ts';

const read = (file: string) => parse(readFileSync(file, 'utf8'));
const manifest = read('manifest.yml');
const FILES = readdirSync('.').filter((file) => /^manifest.*\.yml$/.test(file));
const source = readdirSync('src/slack', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(path.join('src/slack', file), 'utf8'))
  .join('\n');
const all = (pattern: RegExp): string[] =>
  [...new Set([...source.matchAll(pattern)].map((match) => match[1] ?? ''))].sort();

/** The scopes each Web API method needs; a method that is not here fails the test until somebody looks it up. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'assistant.threads': ['assistant:write'],
  'auth.test': [],
  'canvases.create': ['canvases:write'],
  'canvases.access': ['canvases:write'],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.getPermalink': [],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history'],
  'conversations.join': ['channels:join'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'functions.completeError': [],
  'functions.completeSuccess': [],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'usergroups.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};
const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  app_mention: ['app_mentions:read'],
  'message.im': ['im:history'],
  app_home_opened: [],
  app_context_changed: ['assistant:write'],
};
const methods = all(
  /\b(?:read|post|client)\.((?:assistant|auth|canvases|chat|conversations|files|functions|users|usergroups|views|reactions|apps)\.\w+)/g,
);

/** What only the agent view needs, which can't be undone. */
const OF_AGENTS = ['app_context_changed', 'assistant:write'];

describe('manifest.yml', () => {
  it('declares the one command, with the usage hint of the command table', () => {
    expect(manifest.features.slash_commands).toHaveLength(1);
    expect(manifest.features.slash_commands[0]).toMatchObject({ command: '/waf', usage_hint: usageHint() });
  });

  it('subscribes to the events that have a listener, and to no others', () => {
    const listened = all(/app\.event\('(\w+)'/g).concat(/app\.message\(/.test(source) ? ['message.im'] : []);
    const usual = listened.filter((event) => !OF_AGENTS.includes(event));
    expect(manifest.settings.event_subscriptions.bot_events.toSorted()).toEqual(usual.toSorted());
  });

  it('offers the shortcuts that have a listener, and no others', () => {
    expect(all(/callback_id: (\w+), type: 'message_action'/g)).toEqual(['AROUND_MESSAGE']);
    expect(manifest.features.shortcuts.map((shortcut: { callback_id: string }) => shortcut.callback_id)).toEqual([
      AROUND_MESSAGE,
    ]);
  });

  it('switches interactivity, Socket Mode, Home and messages on, because the code needs them', () => {
    expect(source).toMatch(/app\.action/);
    expect(manifest.settings).toMatchObject({ interactivity: { is_enabled: true }, socket_mode_enabled: true });
    expect(manifest.features.app_home).toMatchObject({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });

  it('asks for the scopes of the methods and events in use, and for no others', () => {
    expect(methods.length).toBeGreaterThan(8);
    expect(methods.filter((method) => !(method in SCOPES))).toEqual([]);
    const events: string[] = manifest.settings.event_subscriptions.bot_events;
    const needed = [
      'commands',
      ...methods.flatMap((name) => SCOPES[name] ?? []),
      ...events.flatMap((name) => EVENT_SCOPES[name] ?? []),
    ].filter((scope) => !OF_AGENTS.includes(scope));
    expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual([...new Set(needed)].sort());
  });
});

describe('each manifest', () => {
  it('is in a file that the package contains', () => {
    expect(FILES).toEqual(['manifest.agent.yml', 'manifest.slackbot.yml', 'manifest.workflows.yml', 'manifest.yml']);
    const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(files.filter((file: string) => file.startsWith('manifest')).sort()).toEqual(FILES);
  });

  it.each(FILES)('%s has the form that Slack publishes', (file) => {
    expect(APP_MANIFEST.safeParse(read(file)).error?.issues ?? []).toEqual([]);
  });

  it.each([
    ['a key of no meaning', (other: typeof manifest) => ({ ...other, setings: {} })],
    ['a long name', (other: typeof manifest) => ({ ...other, display_information: { name: 'x'.repeat(36) } })],
    [
      'a step that requires what it lacks',
      (other: typeof manifest) => {
        const { waf_check: check } = other.functions;
        const input_parameters = { ...check.input_parameters, required: ['who'] };
        return { ...other, functions: { waf_check: { ...check, input_parameters } } };
      },
    ],
    [
      'a step in the older form',
      (other: typeof manifest) => {
        const { waf_check: check } = other.functions;
        return {
          ...other,
          functions: { waf_check: { ...check, input_parameters: check.input_parameters.properties } },
        };
      },
    ],
  ])('with %s would be refused', (_what, change) => {
    expect(APP_MANIFEST.safeParse(change(read('manifest.workflows.yml'))).success).toBe(false);
  });
});

describe('manifest.workflows.yml', () => {
  const workflows = read('manifest.workflows.yml');

  it('declares the steps that have a listener, for an app that can be installed for an organization', () => {
    expect(workflows.functions).toEqual(STEPS);
    expect(workflows.settings).toMatchObject({ function_runtime: 'remote', org_deploy_enabled: true });
    expect(workflows.settings.event_subscriptions.bot_events).toContain('function_executed');
    expect(workflows.oauth_config).toEqual(manifest.oauth_config);
  });

  it('has nobody but Slack say who runs a workflow', () => {
    for (const { input_parameters: inputs } of Object.values(STEPS)) {
      expect(inputs.properties.person.type).toBe('slack#/types/user_context');
      expect(inputs.required).toContain('person');
    }
  });
});

describe('manifest.agent.yml', () => {
  const agent = read('manifest.agent.yml');

  it('adds the agent view with the prompts that the bot suggests, and what that needs', () => {
    expect(agent.features.agent_view.suggested_prompts).toEqual(PROMPTS);
    const { bot_events: events } = agent.settings.event_subscriptions;
    const { bot: scopes } = agent.oauth_config.scopes;
    const usual = [...manifest.settings.event_subscriptions.bot_events, ...manifest.oauth_config.scopes.bot];
    expect([...events, ...scopes].filter((name) => !usual.includes(name))).toEqual(OF_AGENTS);
  });

  it.each(FILES.filter((file) => file !== 'manifest.agent.yml'))('%s has no agent view', (file) => {
    expect(read(file).features).not.toHaveProperty('agent_view');
  });
});
