/** A local Slack on loopback, for tests, benchmarks and demonstrations of Slack apps. */
export type { Call } from './call-log.ts';
export type { SlackbotInput } from './dispatch/slackbot.ts';
export { createGate, type Distance } from './faults.ts';
export type { LocalSlack, LocalSlackOptions } from './local-slack.ts';
export type { Message } from './messages.ts';
export { startLocalSlack } from './start.ts';
export { checkMessage } from './validation/message.ts';
export { checkView } from './validation/view.ts';
export type { WorkspaceSpec } from './workspace.ts';
