/** The result of dispatching what a person did, and what all payloads have in common. */

import type { Deliverer } from '../delivery/deliverer.ts';
import type { Delivery } from '../delivery/envelope.ts';
import type { JsonObject } from '../json.ts';
import { isRefused } from '../methods/reply.ts';
import { respond } from '../respond.ts';
import type { ResponseTarget } from '../response-urls.ts';
import type { SlackState } from '../state.ts';
import type { Channel, Person } from '../workspace.ts';

export interface DispatchResult extends Omit<Delivery, 'error'> {
  /** `operation_timeout`, `dispatch_failed`, or why Slack's client did not send anything. */
  readonly error?: string;
  readonly responseUrl?: string;
  readonly triggerId?: string;
}

export interface DispatchDeps {
  readonly state: SlackState;
  readonly deliverer: Deliverer;
}

/** For what Slack's client refuses without sending it. */
export function notSent(error: string): DispatchResult {
  return { acked: false, error, ack: {}, elapsedMs: 0 };
}

export function payloadBase(state: SlackState): JsonObject {
  const { team, app } = state.directory.workspace;
  return {
    token: 'verification-token',
    api_app_id: app.id,
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

export function payloadUser(person: Person, state: SlackState): JsonObject {
  const team = person.teamId ?? state.directory.workspace.team.id;
  return { id: person.id, username: person.name, name: person.name, team_id: team };
}

export function channelName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

/** Posts the text or blocks that an acknowledgement carried. */
export function postAck(delivery: Delivery, target: ResponseTarget, state: SlackState): void {
  const { ack } = delivery;
  if (!delivery.acked || (ack.text === undefined && ack.blocks === undefined && ack.delete_original === undefined))
    return;
  const reply = respond(ack, target, 'ack', state);
  if (!isRefused(reply)) return;
  const refusal = { method: 'ack', error: reply.error, problems: reply.problems ?? [], args: ack };
  state.callLog.refusals.push(refusal);
  state.callLog.notify('refusal', refusal);
}
