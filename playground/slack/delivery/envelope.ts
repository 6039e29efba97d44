/** What is brought to the app, and what comes of it. Two ways of bringing it have the same shape. */
import type { JsonObject } from '../../json.ts';

export interface Envelope {
  readonly id: string;
  readonly type: 'slash_commands' | 'events_api' | 'interactive';
  readonly payload: JsonObject;
  readonly retry?: { readonly attempt: number; readonly reason: string } | undefined;
}

export interface Delivery {
  readonly acked: boolean;
  /** What the person at the keyboard would be shown. */
  readonly error?: 'operation_timeout' | 'dispatch_failed';
  /** Body of the acknowledgement, empty where it had none. */
  readonly ack: JsonObject;
  readonly elapsedMs: number;
  /** HTTP only. */
  readonly status?: number;
}

export interface Transport {
  /** Brings it `copies` times, as the same thing; the first acknowledgement counts. */
  deliver(envelope: Envelope, copies: number): Promise<Delivery>;
  stop(): Promise<void>;
}
