/** What the drawer promises about its attacks, on a start that it wasn't measured on. */
import { expect, test } from 'vitest';
import { ATTACK_KINDS, alertWords } from '../../../../playground/try-it/attacks.ts';
import { alertDelay, CHOICES } from '../../../support/drawer-attacks.ts';

/** Half of all starts are outside of the promise; of these, nearly all are within this of it. */
const TOLERANCE_MINUTES = 12;

test.each(CHOICES)('$kind, $strength: the watch alerts when the drawer says', async ({ kind, strength }) => {
  const startMs = Date.UTC(2026, 10, 20, 8, 41);
  const delay = await alertDelay({ kind, strength, host: 'shop', seed: 1, startMs });
  const [from = 0, to = 0] = ATTACK_KINDS.find(({ id }) => id === kind)?.alertsAfter[strength] ?? [];
  expect(delay).toBeGreaterThanOrEqual(from - TOLERANCE_MINUTES);
  expect(delay).toBeLessThanOrEqual(to + TOLERANCE_MINUTES);
});

test('says so in a sentence', () => {
  expect(alertWords({ alertsAfter: { mild: [13, 20], strong: [7, 9] } }, 'mild')).toBe(
    'The watch usually alerts 13 to 20 minutes after the start.',
  );
});
