/** What `watches` says of a watch that says nothing. */
import { expect, it } from 'vitest';
import { ask, through, watchedWorld, wave } from '../../support/watched-world.ts';
import { passTo } from '../../support/world.ts';

it('a calm watch tells the last hour as answers do, without asking the service again', async () => {
  const w = await watchedWorld([]);
  expect(await ask(w, 'watch')).toContain('Watch created');
  expect(await ask(w, 'watches')).toContain('It hasn’t checked yet.');
  await through(w, '14:35', '14:40');
  const before = w.service.requests.length;
  const list = await ask(w, 'watches');
  const [, count, low, high] =
    /Nothing to report: ([\d,]+) attacks in the hour until 15:3\d, usual ([\d,]+)–([\d,]+)\./.exec(list) ?? [];
  const [attacks = 0, least = 0, most = 0] = [count, low, high].map((n) => Number(n?.replaceAll(',', '')));
  expect(attacks).toBeGreaterThan(least);
  expect(attacks).toBeLessThan(most);
  expect(w.service.requests.length - before).toBe(0);
});

it('an alert, a pause of the service and quiet hours are the reason while they last', async () => {
  const w = await watchedWorld([wave('14:35', '15:20', 30)]);
  await ask(w, 'watch');
  await through(w, '14:35', '14:50');
  expect(await ask(w, 'watches')).toMatch(/Alerted at 15:[45]\d\. It updates that message until it’s over\./);
  w.service.misbehave({ kind: 'refuse', code: 'APIG.0308' });
  await passTo(w, '2026-03-10T14:55:00Z');
  expect(await ask(w, 'watches')).toMatch(/No checks until 15:56:0\d: the statistics service asked for a pause\./);
  await ask(w, 'watch edit 1 quiet hours daily 15:00-17:00');
  expect(await ask(w, 'watches')).toContain('Silent until 17:00: quiet hours, which only a surge breaks.');
});
