/** How patient delivery is. In one place, because the documentation states these numbers. */
export interface DeliveryPolicy {
  /** A service that fails is asked again for this long; then a short message says so instead of the digest. */
  readonly patienceMs: number;
  /** How long making one digest may take before it counts as failed. */
  readonly composeLimitMs: number;
  /** After a lost answer Slack gets this long to show the message in the channel before it is looked for. */
  readonly settleMs: number;
  /** A run that is not finished after this long without a sign of life is taken over. */
  readonly leaseMs: number;
  /** How much earlier than our own clock the search begins, for clocks that differ. */
  readonly clockSkewMs: number;
}

export const defaultPolicy: DeliveryPolicy = {
  patienceMs: 15 * 60_000,
  composeLimitMs: 60_000,
  settleMs: 3_000,
  leaseMs: 30_000,
  clockSkewMs: 5 * 60_000,
};

/** 5, 10, 20 … seconds, at most five minutes. */
export function backoffMs(attempt: number): number {
  return Math.min(5_000 * 2 ** Math.max(0, attempt - 1), 300_000);
}
