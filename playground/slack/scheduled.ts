/** Messages that the app has scheduled. They are posted on request, since the clock may be injected. */
import type { JsonObject } from './json.ts';

export interface ScheduledMessage {
  /** `Q…` */
  readonly id: string;
  readonly channel: string;
  readonly postAtMs: number;
  /** The arguments of the call, which are those of a post. */
  readonly args: JsonObject;
}
