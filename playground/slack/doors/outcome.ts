/** What a person's doing leads to, and what all doors share: the person as payloads show them, answers in an ack. */

import type { JsonObject } from '../../json.ts';
import type { Delivery } from '../delivery/envelope.ts';
import type { Postman } from '../delivery/postman.ts';
import { isRefused } from '../methods/reply.ts';
import { respond } from '../response-url.ts';
import type { ResponseTicket } from '../tickets.ts';
import type { Channel, Person } from '../workspace.ts';
import type { World } from '../world.ts';

export interface Outcome extends Omit<Delivery, 'error'> {
  /** `operation_timeout`, `dispatch_failed`, or why Slack's own client did not even send it. */
  readonly error?: string;
  readonly responseUrl?: string;
  readonly triggerId?: string;
}

export interface DoorDeps {
  readonly world: World;
  readonly postman: Postman;
}

/** Slack's client stopped it: nothing was sent. */
export function notSent(error: string): Outcome {
  return { acked: false, error, ack: {}, elapsedMs: 0 };
}

export function payloadBase(world: World): JsonObject {
  const { team, app } = world.directory.workspace;
  return {
    token: 'verification-token',
    api_app_id: app.id,
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

export function payloadUser(person: Person, world: World): JsonObject {
  return { id: person.id, username: person.name, name: person.name, team_id: world.directory.workspace.team.id };
}

export function channelName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'private' ? 'privategroup' : channel.name;
}

/** An acknowledgement with text or blocks is an answer of its own. */
export function sayAck(delivery: Delivery, ticket: ResponseTicket, world: World): void {
  const { ack } = delivery;
  if (!delivery.acked || (ack.text === undefined && ack.blocks === undefined && ack.delete_original === undefined))
    return;
  const reply = respond(ack, ticket, 'ack', world);
  if (!isRefused(reply)) return;
  const refusal = { method: 'ack', error: reply.error, problems: reply.problems ?? [], args: ack };
  world.journal.refusals.push(refusal);
  world.journal.changed('refusal', refusal);
}
