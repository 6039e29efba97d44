/** Order of instants. Milliseconds decide nearly always and are an order of magnitude cheaper than a full comparison. */
export function compareInstants(a: Temporal.Instant, b: Temporal.Instant): number {
  return a.epochMilliseconds - b.epochMilliseconds || Temporal.Instant.compare(a, b);
}

export const isSameInstant = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  a === b || compareInstants(a, b) === 0;
