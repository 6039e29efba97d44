import { describe, expect, it } from 'vitest';
import { hourInput, judged, uneven } from './minutes.ts';

const BEFORE = { sqli: 900, xss: 600, robot: 1200, illegal: 600, cc: 300, custom: 0, lfi: 0 };
const CALM = { sqli: 150, xss: 100, robot: 200, illegal: 100, cc: 50, custom: 0, lfi: 0 };

/** Thirty attacks a minute more in the last half hour, in the given categories; visits in their place if told. */
function withMore(more: Readonly<Record<string, number>>, requests = (minute: number) => (minute >= 30 ? 1030 : 1000)) {
  const now: Record<string, number> = { ...CALM };
  for (const [category, count] of Object.entries(more)) now[category] = (now[category] ?? 0) + count;
  const attacks = (minute: number): number => uneven(10, minute) + (minute >= 30 ? 30 : 0);
  return judged(hourInput({ attacks, requests, now, before: BEFORE }));
}

describe('anomaly kind', () => {
  it('is a targeted attack when a few categories carry it', () => {
    expect(withMore({ sqli: 600, cmdi: 300 }).kind).toBe('targeted attack');
  });
  it('is a flood when CC and crawlers carry it', () => {
    expect(withMore({ cc: 700, robot: 200 }).kind).toBe('flood');
  });
  it('is a false-positive storm when one rule of the operator fires and requests are flat', () => {
    expect(withMore({ custom: 900 }, () => 1000).kind).toBe('false-positive storm');
  });
  it('is a false-positive storm in any category when visits turn into attacks', () => {
    const attacks = (minute: number): number => uneven(10, minute) + (minute >= 30 ? 200 : 0);
    const now = { ...CALM, sqli: 6150 };
    expect(judged(hourInput({ attacks, now, before: BEFORE })).kind).toBe('false-positive storm');
    const onTop = (minute: number): number => (minute >= 30 ? 1200 : 1000);
    expect(judged(hourInput({ attacks, requests: onTop, now, before: BEFORE })).kind).toBe('targeted attack');
  });
  it('is nothing in particular when every category grows', () => {
    expect(withMore({ sqli: 180, xss: 180, robot: 180, illegal: 180, cmdi: 90, lfi: 90 }).kind).toBeNull();
  });
  it('names the most surprising categories first', () => {
    const { moved } = withMore({ sqli: 500, xss: 300, lfi: 100 });
    expect(moved.map(({ name }) => name)).toEqual(['sqli', 'lfi', 'xss']);
    expect(moved[0]).toMatchObject({ isNew: false, observed: 650 });
    expect(moved[1]).toMatchObject({ isNew: true, observed: 100, expected: 0 });
  });
  it('is named by what is happening now, where a second wave follows one of another kind', () => {
    const attacks = (minute: number): number => uneven(10, minute) + (minute < 20 ? 40 : minute >= 40 ? 40 : 0);
    const requests = (minute: number): number => 1000 + (minute < 20 || minute >= 40 ? 40 : 0);
    const now = { ...CALM, sqli: 950, cc: 800 };
    const latest = { sqli: 75, xss: 50, robot: 100, illegal: 50, cc: 775 };
    const second = judged(hourInput({ attacks, requests, now, before: BEFORE, latest }));
    expect(second.kind).toBe('flood');
    expect(second.moved[0]?.name).toBe('cc');
  });
});
