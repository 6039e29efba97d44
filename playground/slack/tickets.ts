/** Things Slack hands out for a short time: response_urls (30 minutes, five uses) and trigger ids (3 s, one use). */
import { randomBytes } from 'node:crypto';

const RESPONSE_URL_MS = 30 * 60_000;
const RESPONSE_URL_USES = 5;
const TRIGGER_MS = 3_000;

export interface ResponseTicket {
  readonly channel: string;
  readonly user: string;
  /** The message the ticket belongs to, when it came with a click. */
  readonly messageTs?: string | undefined;
  readonly threadTs?: string | undefined;
}

export interface Tickets {
  responseUrl(ticket: ResponseTicket): string;
  /** Counts a use. */
  useResponseUrl(path: string): ResponseTicket | 'used_url' | 'expired_url';
  /** Every response_url handed out so far is over. */
  expireResponseUrls(): void;
  trigger(user: string, viewId?: string): string;
  useTrigger(id: string): { readonly user: string; readonly viewId?: string | undefined } | TriggerRefusal;
}

export type TriggerRefusal = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';

export function createTickets(deps: {
  readonly now: () => number;
  readonly baseUrl: () => string;
  readonly teamId: string;
}): Tickets {
  const urls = new Map<string, ResponseTicket & { readonly untilMs: number; uses: number }>();
  const triggers = new Map<string, { user: string; viewId?: string | undefined; untilMs: number; used: boolean }>();
  let count = 0;

  return {
    responseUrl(ticket) {
      count += 1;
      const path = `/commands/${deps.teamId}/${count}/${randomBytes(12).toString('hex')}`;
      urls.set(path, { ...ticket, untilMs: deps.now() + RESPONSE_URL_MS, uses: 0 });
      return deps.baseUrl() + path;
    },
    useResponseUrl(path) {
      const ticket = urls.get(path);
      if (ticket === undefined || deps.now() >= ticket.untilMs) return 'expired_url';
      if (ticket.uses >= RESPONSE_URL_USES) return 'used_url';
      ticket.uses += 1;
      return ticket;
    },
    expireResponseUrls: () => urls.clear(),
    trigger(user, viewId) {
      count += 1;
      const id = `${count}.${deps.teamId}.${randomBytes(8).toString('hex')}`;
      triggers.set(id, { user, viewId, untilMs: deps.now() + TRIGGER_MS, used: false });
      return id;
    },
    useTrigger(id) {
      const trigger = triggers.get(id);
      if (trigger === undefined) return 'invalid_trigger_id';
      if (deps.now() >= trigger.untilMs) return 'expired_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      trigger.used = true;
      return trigger;
    },
  };
}
