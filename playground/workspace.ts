/** The workspace of the playground and of the tests: an online shop whose team uses wafbot. */
import type { WorkspaceSpec } from './slack/index.ts';

export const WORKSPACE = {
  team: { name: 'Northwind Shop', domain: 'northwind' },
  users: [
    { id: 'U0MAYA0001', name: 'maya', realName: 'Maya Lindholm', tz: 'Europe/Stockholm', isAdmin: true },
    { id: 'U0DIEGO001', name: 'diego', realName: 'Diego Fuentes', tz: 'America/New_York' },
    { id: 'U0ANJALI01', name: 'anjali', realName: 'Anjali Rao', tz: 'Asia/Kolkata' },
    { id: 'U0NOZONE01', name: 'sam', realName: 'Sam Okafor' },
  ],
  channels: [
    { id: 'C0SECURITY', name: 'security', topic: 'Firewall reviews and findings' },
    { id: 'C0ONCALL01', name: 'oncall', topic: 'Pages and incidents' },
    { id: 'C0GENERAL1', name: 'general', topic: 'Everyone except wafbot', botIsMember: false },
  ],
  userGroups: [
    {
      id: 'S0ONCALL01',
      handle: 'oncall-security',
      name: 'Security on call',
      members: ['U0DIEGO001', 'U0ANJALI01'],
    },
    { id: 'S0LEADS001', handle: 'leads', name: 'Team leads', members: ['U0MAYA0001'] },
  ],
  app: {
    id: 'A0WAFBOT01',
    name: 'wafbot',
    botUserId: 'U0WAFBOT01',
    botId: 'B0WAFBOT01',
    scopes: [
      'app_mentions:read',
      'canvases:write',
      'channels:history',
      'channels:join',
      'channels:read',
      'chat:write',
      'commands',
      'files:read',
      'files:write',
      'groups:history',
      'groups:read',
      'im:history',
      'im:read',
      'im:write',
      'usergroups:read',
      'users:read',
    ],
    commands: ['/waf'],
    shortcuts: [{ callbackId: 'waf_around_message', name: 'WAF around this message' }],
  },
} as const satisfies WorkspaceSpec;
