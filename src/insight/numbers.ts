/** Numbers the way people read them. Grouping and signs are fixed, so that a text never depends on the machine. */

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
      return `${scaled.toFixed(digits).replace(/\.0$/, '')} ${letter}`;
    }
  }
  return String(Math.round(value));
}

/** `18 %`, `0.4 %`, `<0.1 %`: a share between 0 and 1. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent < 10 ? percent.toFixed(1).replace(/\.0$/, '') : percent.toFixed(0)} %`;
}

/** `+18 %`, `−4 %`, `±0 %`, `×12`, `new` when there was nothing before, `gone` when nothing is left. */
export function formatChange(now: number, before: number): string {
  if (before === 0) return now === 0 ? '±0 %' : 'new';
  if (now === 0) return 'gone';
  const ratio = now / before;
  if (ratio >= 10) return `×${compactCount(ratio)}`;
  const percent = Math.round((ratio - 1) * 100);
  if (percent === 0) return '±0 %';
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
