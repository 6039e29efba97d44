/** trigger_ids: each valid for three seconds and one use. */
import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 3_000;

interface Trigger {
  readonly user: string;
  /** Set when the trigger came from an open modal; only such a trigger may push another one. */
  readonly viewId?: string | undefined;
  /** Which of the person's clients was used. */
  readonly client?: string | undefined;
}

type TriggerError = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';

export interface TriggerIds {
  issue(user: string, from?: Omit<Trigger, 'user'>): string;
  use(id: string): Trigger | TriggerError;
}

export function createTriggerIds(deps: { readonly now: () => number; readonly teamId: string }): TriggerIds {
  const issued = new Map<string, Trigger & { readonly expiresMs: number; used: boolean }>();
  let count = 0;

  return {
    issue(user, from = {}) {
      count += 1;
      const id = `${count}.${deps.teamId}.${randomBytes(8).toString('hex')}`;
      issued.set(id, { ...from, user, expiresMs: deps.now() + LIFETIME_MS, used: false });
      return id;
    },
    use(id) {
      const trigger = issued.get(id);
      if (trigger === undefined) return 'invalid_trigger_id';
      if (deps.now() >= trigger.expiresMs) return 'expired_trigger_id';
      if (trigger.used) return 'exchanged_trigger_id';
      trigger.used = true;
      return trigger;
    },
  };
}
