/** Identifiers in Slack's formats, numbered so that every run yields the same ones, and message timestamps. */
export interface Ids {
  /** `F00000000A`: a letter and at least eight capitals or digits. */
  next(prefix: string): string;
  /** Seconds with six decimals, later than any before: Slack's message id and its time in one. */
  ts(): string;
}

export function createIds(now: () => number): Ids {
  let count = 0;
  let lastMicros = 0;
  return {
    next(prefix) {
      count += 1;
      return prefix + count.toString(36).toUpperCase().padStart(9, '0');
    },
    ts() {
      lastMicros = Math.max(Math.floor(now() * 1000), lastMicros + 1);
      const seconds = Math.floor(lastMicros / 1e6);
      return `${seconds}.${String(lastMicros % 1e6).padStart(6, '0')}`;
    },
  };
}
