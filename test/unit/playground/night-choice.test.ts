import { describe, expect, test } from 'vitest';
import { chooseNight, DEFAULT_SEED, timeOf } from '../../../playground/night-choice.ts';

const BERLIN = 'Europe/Berlin';

describe('the night that somebody asks for', () => {
  test('is the default one, now, if nothing is asked for', () => {
    expect(chooseNight({}, BERLIN)).toMatchObject({ seed: DEFAULT_SEED, zone: BERLIN });
    expect(chooseNight({ seed: '', at: '' }, BERLIN)).toMatchObject({ seed: DEFAULT_SEED });
  });

  test.each(['0', '7', '999999'])('has the seed %s', (seed) => {
    expect(chooseNight({ seed }, BERLIN)).toMatchObject({ seed: Number(seed) });
  });

  test.each(['-1', '1.5', 'seven', '1000000', '1e3', ' 7', '0x7'])('has no seed “%s”, which is said', (seed) => {
    const problem = `“${seed}” isn’t a seed. Use a whole number from 0 to 999999, such as 7.`;
    expect(chooseNight({ seed }, BERLIN)).toEqual({ problem });
  });

  test('opens at a time in its own zone, which reads as it was written', () => {
    const at = '2026-11-17T18:41[Asia/Tokyo]';
    const chosen = chooseNight({ seed: '7', at }, BERLIN);
    if ('problem' in chosen) throw new Error(chosen.problem);
    expect(chosen).toEqual({ seed: 7, zone: 'Asia/Tokyo', openAtMs: Date.parse('2026-11-17T09:41:00Z') });
    expect(timeOf(chosen)).toBe(at);
  });

  test.each(['tomorrow', '2026-11-17T09:41', '2026-11-17T09:41Z', '2026-11-17T09:41[Atlantis/Capital]'])(
    'does not open at “%s”, which is said',
    (at) => {
      expect(chooseNight({ at }, BERLIN)).toEqual({ problem: expect.stringContaining(`“${at}” isn’t a time`) });
    },
  );
});
