/** Messages that the app has scheduled. They are posted when somebody says that it's time, since the clock may be injected. */
import type { JsonObject } from './json.ts';

export interface ScheduledMessage {
  /** `Q…` */
  readonly id: string;
  readonly channel: string;
  readonly postAtMs: number;
  /** Of the call, which are those of a post. */
  readonly args: JsonObject;
}
