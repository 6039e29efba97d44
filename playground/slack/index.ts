/** A local Slack on loopback, for tests, benchmarks and demonstrations of Slack apps. */
export type { Call, Refusal } from './call-log.ts';
export type { Delivery } from './delivery/envelope.ts';
export type { DispatchResult } from './dispatch/result.ts';
export { createGate, type Distance, type Fault, type Gate } from './faults.ts';
export type { StoredFile } from './files.ts';
export type { LocalSlack, LocalSlackOptions, MessageFilter } from './local-slack.ts';
export type { Message } from './messages.ts';
export { startLocalSlack } from './start.ts';
export { checkMessage, checkMetadata } from './validation/message.ts';
export type { Problem } from './validation/problem.ts';
export { checkView } from './validation/view.ts';
export type { View } from './views.ts';
export type { Channel, Person, Workspace, WorkspaceSpec } from './workspace.ts';
