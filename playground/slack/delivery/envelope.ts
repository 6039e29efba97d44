/** What is delivered to the app and the result, in one shape for Socket Mode and HTTP. */
import type { JsonObject } from '../json.ts';

export interface Envelope {
  readonly id: string;
  readonly type: 'slash_commands' | 'events_api' | 'interactive';
  readonly payload: JsonObject;
  readonly retry?: { readonly attempt: number; readonly reason: string } | undefined;
}

export interface Delivery {
  readonly acked: boolean;
  /** The error Slack's client would show to the person. */
  readonly error?: 'operation_timeout' | 'dispatch_failed';
  /** Body of the acknowledgement; empty if it had none. */
  readonly ack: JsonObject;
  readonly elapsedMs: number;
  /** HTTP only. */
  readonly status?: number;
}

export interface Transport {
  /** Sends the same envelope `copies` times; the first acknowledgement counts. */
  deliver(envelope: Envelope, copies: number): Promise<Delivery>;
  stop(): Promise<void>;
}
