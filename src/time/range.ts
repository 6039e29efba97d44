/** A stretch of time, half-open: `from` belongs to it, `to` does not. */
export interface Range {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
}
