/**
 * Formats counts, shares, changes and durations. Grouping and signs don't depend on the machine's locale.
 */

/** `3,412` */
export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** `950`, `1.2 k`, `34 k`, `1.2 M`: at most three digits, for axes and headlines. */
export function compactCount(value: number): string {
  const size = Math.abs(value);
  if (size < 999.5) return String(Math.round(value));
  for (const [unit, letter] of UNITS) {
    // 999,960 rounds up to 1 M, not to 1000 k.
    if (size >= unit * 0.9995) {
      const scaled = value / unit;
      const digits = Math.abs(scaled) < 9.95 ? 1 : 0;
      // Not `toFixed`, which rounds 2.15 down.
      const rounded = digits === 1 ? Math.round(value / (unit / 10)) / 10 : Math.round(scaled);
      return `${rounded} ${letter}`;
    }
  }
  return String(Math.round(value));
}

/** `18 %`, `0.4 %`, `<0.1 %`: a share between 0 and 1. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent < 10 || (percent > 99 && percent < 100) ? percent.toFixed(1).replace(/\.0$/, '') : percent.toFixed(0)} %`;
}

/** `3,412`, from 100,000 on `1.9 M`: for headings. */
export function briefCount(value: number): string {
  return value < 100_000 ? formatCount(value) : compactCount(value);
}

/** `+18 %`, `−4 %`, `±0 %`, `×4.8`, `×12`, `new` if there was nothing before, `gone` if nothing is left. */
export function formatChange(now: number, before: number): string {
  if (before === 0) return now === 0 ? '±0 %' : 'new';
  if (now === 0) return 'gone';
  const ratio = now / before;
  if (ratio >= 9.95) return `×${compactCount(ratio)}`;
  if (ratio >= 2) return `×${ratio.toFixed(1).replace(/\.0$/, '')}`;
  const percent = Math.round((ratio - 1) * 100);
  if (percent === 0) return '±0 %';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}

type TimeUnit = 'day' | 'hour' | 'minute' | 'second';

export interface DurationStyle {
  /** Units to choose from, largest first; all four unless given. */
  readonly units?: readonly TimeUnit[];
  /**
   * `none` uses the largest unit that divides the duration exactly, for chosen lengths. The others use the largest unit of
   * which there are at least two, for measured lengths.
   */
  readonly rounding?: 'none' | 'tenths' | 'whole' | 'up';
  /** `5 minutes`, `5 min` or `5-minute`. */
  readonly form?: 'long' | 'short' | 'compound';
  /** `hour` instead of `1 hour`, after "every", "per" or "in the". */
  readonly bareOne?: boolean;
}

const UNIT_MS: Readonly<Record<TimeUnit, number>> = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };
const SHORT_UNITS: Readonly<Partial<Record<TimeUnit, string>>> = { hour: 'h', minute: 'min', second: 's' };
const ALL_UNITS: readonly TimeUnit[] = ['day', 'hour', 'minute', 'second'];

/** `5 minutes`, `1 hour`, `2 days`, `90 seconds`; rounded and abbreviated according to the style. */
export function duration(ms: number, style: DurationStyle = {}): string {
  const { units = ALL_UNITS, rounding = 'none', form = 'long', bareOne = false } = style;
  const [count, unit] = rounding === 'none' ? exactly(ms, units) : roughly(ms, units, rounding);
  if (bareOne && count === 1) return unit;
  const plural = count === 1 ? unit : `${unit}s`;
  if (form === 'compound') return `${count}-${unit}`;
  return `${count} ${form === 'short' ? (SHORT_UNITS[unit] ?? plural) : plural}`;
}

/** `57 minutes`, `3 hours`, `2 h 57 min`, `7 days`, `6 days 23 h`: exact to the minute. */
export function exactDuration(ms: number): string {
  if (ms < 2 * UNIT_MS.hour) return duration(ms, { units: ['minute'] });
  let rest = ms;
  const parts = (['day', 'hour', 'minute'] as const).flatMap((unit) => {
    const count = Math.floor(rest / UNIT_MS[unit]);
    rest -= count * UNIT_MS[unit];
    return count === 0 ? [] : [{ unit, ms: count * UNIT_MS[unit] }];
  });
  const form = parts.length > 1 ? 'short' : 'long';
  return parts.map((part) => duration(part.ms, { units: [part.unit], form })).join(' ');
}

function exactly(ms: number, units: readonly TimeUnit[]): [count: number, unit: TimeUnit] {
  const unit = units.find((each) => ms >= UNIT_MS[each] && ms % UNIT_MS[each] === 0) ?? units.at(-1) ?? 'second';
  return [Math.round(ms / UNIT_MS[unit]), unit];
}

function roughly(
  ms: number,
  units: readonly TimeUnit[],
  rounding: 'tenths' | 'whole' | 'up',
): [count: number, unit: TimeUnit] {
  const round = rounding === 'up' ? Math.ceil : Math.round;
  const [smallest = 'second', ...larger] = units.toReversed();
  let unit = smallest;
  let count = round(ms / UNIT_MS[unit]);
  for (const next of larger) {
    const size = UNIT_MS[next] / UNIT_MS[unit];
    if (count < 2 * size) break;
    unit = next;
    count = rounding === 'tenths' ? Math.round(count / (size / 10)) / 10 : round(count / size);
  }
  return [count, unit];
}

export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
export const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
