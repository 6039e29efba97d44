/** Which night the playground plays: its seed, and when and in which zone the page opens. */
export interface NightChoice {
  readonly seed: number;
  readonly openAtMs: number;
  readonly zone: string;
}

/** As given in the page's address or after `--seed` and `--at`. */
export interface AskedNight {
  readonly seed?: string | undefined;
  readonly at?: string | undefined;
}

/** The night shown in the docs. */
export const DEFAULT_SEED = 1;
const MAX_SEED = 999_999;
const MINUTE_MS = 60_000;

/** Without a time it opens now. To the minute, so that a link can say it. */
export function chooseNight({ seed, at }: AskedNight, zone: string): NightChoice | { readonly problem: string } {
  const number = seed === undefined || seed === '' ? DEFAULT_SEED : Number(/^\d{1,6}$/.test(seed) ? seed : Number.NaN);
  if (Number.isNaN(number)) {
    return { problem: `“${seed}” isn’t a seed. Use a whole number from 0 to ${MAX_SEED}, such as 7.` };
  }
  if (at === undefined || at === '') {
    return { seed: number, openAtMs: Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS, zone };
  }
  try {
    const opens = Temporal.ZonedDateTime.from(at);
    return { seed: number, openAtMs: opens.epochMilliseconds, zone: opens.timeZoneId };
  } catch {
    return { problem: `“${at}” isn’t a time with its zone. Write it like 2026-11-17T09:41[Europe/Berlin].` };
  }
}

/** The time as `chooseNight` reads it. */
export function timeOf({ openAtMs, zone }: NightChoice): string {
  const opens = Temporal.Instant.fromEpochMilliseconds(openAtMs).toZonedDateTimeISO(zone);
  return opens.toString({ smallestUnit: 'minute', offset: 'never' });
}
