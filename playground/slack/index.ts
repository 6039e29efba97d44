/** A local Slack on loopback, for tests, benchmarks and demonstrations of Slack apps. */
export type { Call, Change, Refusal, WaitOptions } from './call-log.ts';
export type { Canvas } from './canvases.ts';
export type { LoggedDelivery } from './delivery/deliverer.ts';
export type { Delivery, Envelope } from './delivery/envelope.ts';
export type { EventResult, SayInput, ViewingInput } from './dispatch/events.ts';
export type { Choices } from './dispatch/input-values.ts';
export type { ActionInput, OptionsInput, OptionsResult, ShortcutInput } from './dispatch/interaction.ts';
export type { DispatchResult } from './dispatch/result.ts';
export type { SlackbotInput, SlackbotResult } from './dispatch/slackbot.ts';
export type { CommandInput } from './dispatch/slash-command.ts';
export type { SubmitInput, SubmitResult } from './dispatch/view-submission.ts';
export type { StepInput, StepResult } from './dispatch/workflow-step.ts';
export type { Execution } from './executions.ts';
export { createGate, type Distance, type Fault, type Gate } from './faults.ts';
export type { Readiness, StoredFile } from './files.ts';
export type { JsonObject } from './json.ts';
export type {
  AppOptions,
  Listening,
  LocalSlack,
  LocalSlackOptions,
  MessageFilter,
  PersonActions,
  ReactInput,
} from './local-slack.ts';
export type { Message, Reaction } from './messages.ts';
export { SUPPORTED_METHODS } from './methods/registry.ts';
export type { Notification } from './notifications.ts';
export type { RateLimitOptions } from './rate-limit.ts';
export type { ScheduledMessage } from './scheduled.ts';
export { startLocalSlack } from './start.ts';
export type { TypedCommand } from './typed-commands.ts';
export { checkMessage } from './validation/message.ts';
export type { Problem } from './validation/problem.ts';
export { checkView } from './validation/view.ts';
export type { View } from './views.ts';
export type { Channel, Person, StepDefinition, UserGroup, Workspace, WorkspaceSpec } from './workspace.ts';
