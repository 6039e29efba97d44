import { expect, test } from 'vitest';
import {
  createOutlook,
  describeOutlook,
  describeResult,
  type Upcoming,
} from '../../../../playground/try-it/outlook.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 17, 9, 41);

const watchEvery = (minutes: number, job: string, count: number): Upcoming[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'watch',
    job,
    atMs: (Math.floor(NOW_MS / (minutes * MINUTE_MS)) + 1 + index) * minutes * MINUTE_MS,
  }));

async function outlookOn(due: readonly Upcoming[]) {
  const outlook = createOutlook({ nowMs: () => NOW_MS, upcoming: async () => due });
  await outlook.refresh();
  return outlook;
}

test.each([
  [{ watches: 1, checks: 12, digests: 0, takesMs: 1_200 }, '12 checks, about 1 s'],
  [{ watches: 2, checks: 24, digests: 1, takesMs: 2_600 }, '24 checks of 2 watches, 1 digest, about 3 s'],
  [{ watches: 1, checks: 1, digests: 0, takesMs: 90 }, '1 check, under 1 s'],
  [{ watches: 0, checks: 0, digests: 2, takesMs: 900 }, '2 digests, about 1 s'],
  [{ watches: 0, checks: 0, digests: 0, takesMs: 0 }, 'nothing is due, under 1 s'],
])('%j reads as %s', (outlook, words) => {
  expect(describeOutlook(outlook)).toBe(words);
});

test.each([
  [{ checks: 12, alerts: 0, digests: 0 }, '12 checks, nothing to report.'],
  [{ checks: 3, alerts: 1, digests: 1 }, '3 checks, 1 alert, 1 digest.'],
  [{ checks: 0, alerts: 0, digests: 0 }, 'Nothing was due.'],
])('what came of it: %j reads as %s', (result, words) => {
  expect(describeResult(result)).toBe(words);
});

test('counts what is due until then, and knows the next digest', async () => {
  const digest = { kind: 'digest', job: 'digest/a', atMs: NOW_MS + 90 * MINUTE_MS } as const;
  const outlook = await outlookOn([...watchEvery(5, 'watch/a', 300), ...watchEvery(15, 'watch/b', 100), digest]);
  expect(outlook.until(NOW_MS + 60 * MINUTE_MS)).toMatchObject({ watches: 2, checks: 16, digests: 0 });
  expect(outlook.until(NOW_MS + 90 * MINUTE_MS)).toMatchObject({ digests: 1 });
  expect(outlook.nextDigestMs()).toBe(digest.atMs);
});

test('while it is quiet, a watch checks once in each stride', async () => {
  const outlook = await outlookOn(watchEvery(5, 'watch/a', 300));
  const toMs = NOW_MS + 120 * MINUTE_MS;
  const strides = (quietFromMs: number) => outlook.until(toMs, { strideMs: 15 * MINUTE_MS, quietFromMs }).checks;
  expect(strides(0)).toBe(9);
  expect(strides(NOW_MS + 60 * MINUTE_MS)).toBe(17);
  expect(strides(toMs)).toBe(24);
});

test('the next guess follows from how long the last move took', async () => {
  const outlook = await outlookOn(watchEvery(5, 'watch/a', 300));
  for (let move = 0; move < 8; move++) outlook.learn(12, 6_000);
  expect(describeOutlook(outlook.until(NOW_MS + 60 * MINUTE_MS))).toBe('12 checks, about 6 s');
});
