/** A Slack of one's own on loopback: for tests, benchmarks and the playground. */
export { checkMessage, checkMetadata } from './checks/message.ts';
export type { Problem } from './checks/problem.ts';
export { checkView } from './checks/view.ts';
export type { Delivery } from './delivery/envelope.ts';
export type { Outcome } from './doors/outcome.ts';
export { createGate, type Fault, type Gate } from './faults.ts';
export type { StoredFile } from './files.ts';
export type { Call, Refusal } from './journal.ts';
export type { LocalSlack, LocalSlackOptions, MessageFilter } from './local-slack.ts';
export type { Message } from './messages.ts';
export { startLocalSlack } from './start.ts';
export type { View } from './views.ts';
export {
  type Channel,
  DEFAULT_SCOPES,
  type Person,
  resolveWorkspace,
  type Workspace,
  type WorkspaceSpec,
} from './workspace.ts';
