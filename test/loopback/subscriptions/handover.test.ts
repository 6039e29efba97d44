/** A shift change through the local Slack: what is open and whose it is, what is silenced, and what happened since the last one. */
import { expect, it } from 'vitest';
import { ask, through, watchedWorld, wave } from '../../support/watched-world.ts';

const textIn = (answer: string): string => /"type":"mrkdwn","text":"(.*?)","verbatim"/.exec(answer)?.[1] ?? '';

it('covers the time since the last one, also after a restart, in three lines if nothing happened', async () => {
  const w = await watchedWorld([wave('15:00', '15:40', 60)]);
  const first = await ask(w, 'handover');
  expect(first).toContain('Handover: nothing open, 0 over since');
  expect(textIn(first).split('\\n')).toEqual([
    'Nothing is open.',
    'Nothing is snoozed, held back or ignored.',
    'Nothing has happened since 9 Mar 15:30 (the first handover here covers 24 hours).',
  ]);
  await ask(w, 'watch');
  await through(w, '14:35', '15:10');
  await ask(w, 'ack');
  await ask(w, 'snooze 2h');
  await w.restart();
  const open = textIn(await ask(w, 'handover'));
  expect(open).toMatch(/^1 episode open:.*\*Surge since 16:00 .*\*, acknowledged by <@U0MAYA0001>\./);
  expect(open).toMatch(/Snoozed by <@U0MAYA0001> until /);
  expect(open).toMatch(/Nothing has happened since 15:30, the handover by <@U0MAYA0001>\.$/);
  await through(w, '15:15', '16:05');
  const over = textIn(await ask(w, 'handover'));
  expect(over).toMatch(/^Nothing is open\./);
  expect(over).toMatch(/1 episode over since 16:10.*Surge 16:00 – 16:40 · .*, acknowledged by <@U0MAYA0001>\.$/);
  // Asked again at once, it says the same.
  expect(textIn(await ask(w, 'handover'))).toContain('1 episode over since 16:10');
  await through(w, '16:10', '16:25');
  expect(textIn(await ask(w, 'handover'))).toContain('Nothing has happened since 17:05');
});

it('names what was held back, and that alerts are held back now', async () => {
  const w = await watchedWorld([wave('15:00', '15:20', 60)]);
  await ask(w, 'watch');
  await ask(w, 'maintenance now for 3h');
  await ask(w, 'ignore webshell for 2 days');
  await through(w, '14:35', '15:45');
  const said = textIn(await ask(w, 'handover'));
  expect(said).toMatch(/Alerts held back until .*\(maintenance\)\./);
  expect(said).toMatch(/Ignored: Webshell.* until /);
  expect(said).toMatch(/Surge 16:00 – 16:20 · .*, held back\.$/);
});
