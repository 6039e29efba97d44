/** A shift change through the local Slack: what is open and whose it is, what is silenced, and what happened since the last one. */
import { expect, it } from 'vitest';
import { ask, CHANNEL, through, type WatchedWorld, watchedWorld, wave } from '../../support/watched-world.ts';
import { isDigest, nextAnswer, passTo, textOf } from '../../support/world.ts';

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
  await through(w, '15:00', '15:10');
  await ask(w, 'ack');
  await ask(w, 'snooze 2h');
  await w.restart();
  const open = textIn(await ask(w, 'handover'));
  expect(open).toMatch(/^1 episode open:.*\*Surge since 16:00 .*\*, acknowledged by Maya Lindholm\./);
  expect(open).toMatch(/Snoozed by Maya Lindholm until /);
  expect(open).toMatch(/Nothing has happened since 15:30, the handover by Maya Lindholm\.$/);
  await through(w, '15:15', '16:05');
  const over = textIn(await ask(w, 'handover'));
  expect(over).toMatch(/^Nothing is open\./);
  expect(over).toMatch(/1 episode over since 16:10.*Surge 16:00 – 16:40 · .*, acknowledged by Maya Lindholm\.$/);
  // Asked again at once, it says the same.
  expect(textIn(await ask(w, 'handover'))).toContain('1 episode over since 16:10');
  await through(w, '16:20', '16:25');
  expect(textIn(await ask(w, 'handover'))).toContain('Nothing has happened since 17:05');
});

it('names what was held back, and that alerts are held back now', async () => {
  const w = await watchedWorld([wave('15:00', '15:20', 60)]);
  await ask(w, 'watch');
  await ask(w, 'maintenance now for 3h');
  await ask(w, 'ignore webshell for 2 days');
  await through(w, '15:00', '15:45');
  const said = textIn(await ask(w, 'handover'));
  expect(said).toMatch(/Alerts held back until .*\(maintenance\)\./);
  expect(said).toMatch(/Ignored: Webshell.* until /);
  expect(said).toMatch(/Surge 16:00 – 16:20 · .*, held back\.$/);
});

/** The handovers that digests have posted, newest last. */
const posted = (w: WatchedWorld) =>
  w.slack.messages(CHANNEL).filter((message) => isDigest(message) && message.text.startsWith('Handover'));

it('comes by itself at a shift change, covers the time since the one before, and the next that is asked for goes on from there', async () => {
  const w = await watchedWorld([wave('15:00', '15:40', 60)]);
  await ask(w, 'watch');
  // 17:00 in Stockholm.
  const scheduled = await ask(w, 'digest handover daily at 16:15 and 17:15');
  expect(scheduled).toMatch(/^Digest scheduled: handover daily at 16:15 and 17:15 in Europe\/Stockholm/);
  await w.slack.command({ text: 'digest preview' });
  expect((await nextAnswer(w.slack)).text).toMatch(/^Preview: Handover: nothing open, 0 over since 9 Mar 17:12/);
  await through(w, '15:00', '15:10');
  await ask(w, 'ack');
  await w.restart();
  await passTo(w, Temporal.Instant.from('2026-03-10T15:15:00Z'));
  expect(posted(w).map(({ text }) => text)).toEqual(['Handover: 1 open, 0 over since 9 Mar 17:12. 1 episode open:']);
  const [first] = posted(w);
  expect(textIn(first === undefined ? '' : textOf(first))).toMatch(/Surge since 16:00 .*, acknowledged by /);
  await through(w, '15:20', '16:15');
  expect(
    posted(w)
      .map(({ text }) => text)
      .at(-1),
  ).toMatch(/^Handover: nothing open, 1 over since 16:12\. /);
  await through(w, '16:35', '16:40');
  expect(textIn(await ask(w, 'handover'))).toContain('Nothing has happened since 17:12, the last handover digest.');
});

it('is a kind of digest in its form, is listed as one, and has no hosts', async () => {
  const w = await watchedWorld([]);
  await w.slack.command({ text: 'handover' });
  const asked = await nextAnswer(w.slack);
  const button = asked.blocks
    .flatMap(({ elements }) => (Array.isArray(elements) ? elements : []))
    .find((each) => each.text?.text === 'Schedule it…');
  await w.slack.clickButton({ message: asked, actionId: button?.action_id });
  const view = await w.slack.waitFor(() => w.slack.modals('U0MAYA0001').at(-1), { what: 'the form' });
  expect(view.blocks.map((block) => block.block_id)).toEqual(['content', 'rhythm', 'time', 'zone']);
  const wrong = await w.slack.submitView({ values: { time: '25:00' } });
  expect(Object.keys(wrong.errors)).toEqual(['time']);
  await w.slack.submitView({ values: { rhythm: 'weekdays', time: '08:00 and 20:00' } });
  expect((await nextAnswer(w.slack)).text).toMatch(/^Digest scheduled: handover weekdays at 08:00 and 20:00 in Europe/);
  expect(await ask(w, 'digests')).toContain('1. *handover weekdays at 08:00 and 20:00 in Europe/Stockholm*');
  expect(await ask(w, 'digest edit 1 summary daily at 09:00')).toContain('Digest changed: daily at 09:00');
  expect(await ask(w, 'digest edit 1 handover')).toContain('Digest changed: handover daily at 09:00');
  await ask(w, 'hosts add shop 3ac26c59e15a4a11bb680a103a29ddb6');
  expect(await ask(w, 'digest handover daily at 10:00 on shop')).toContain('it has no hosts');
  expect(await ask(w, 'digest edit 1 on shop')).toContain('it has no hosts');
});
