/** The report of an incident as a document: a file, a canvas, and who did what when, as the people there saw it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { LocalSlack, Message } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { ManualClock } from '../../support/clock.ts';
import { passTo, passUntil, startScheduledWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / 60_000;
const step = (from: string, to: string, perMinute: number) => {
  const fromMinute = minuteOf(`2026-03-10T${from}:00Z`);
  return { kind: 'step', fromMinute, minutes: minuteOf(`2026-03-10T${to}:00Z`) - fromMinute, perMinute } as const;
};
/** Elevated from 15:00, a surge from 15:25 to 15:50. */
const WAVES = [step('15:00', '15:50', 9), step('15:25', '15:50', 60)];

const worlds: World<ManualClock>[] = [];
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

async function world(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const service = { seed: 7, seededWaves: false, waves: WAVES };
  const started = await startScheduledWorld({ ...options, service, environment: { WAFBOT_CHARTS: 'none' } });
  worlds.push(started);
  return started;
}

const inChannel = (w: World<ManualClock>): readonly Message[] => w.slack.messages(CHANNEL);

async function say(w: World<ManualClock>, text: string, user?: string): Promise<void> {
  const before = inChannel(w).length;
  await w.slack.command({ text, user: user ?? 'maya' });
  await passUntil(w, () => inChannel(w).length > before, `the answer to ${text}`);
}

const reports = (w: World<ManualClock>): string[] =>
  w.slack
    .files()
    .filter(({ name, channels }) => name.endsWith('.md') && channels.length > 0)
    .map(({ bytes }) => String(bytes));

/** Presses *Incident report* below the alert. */
async function report(w: World<ManualClock>): Promise<{ readonly thread: readonly Message[]; readonly text: string }> {
  const over = inChannel(w).find((message) => textOf(message).includes('Incident report'));
  if (over === undefined) throw new Error('no alert');
  const button = over.blocks
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .find(({ text }) => text?.text === 'Incident report');
  await w.slack.clickButton({ message: over, actionId: button.action_id });
  const thread = () => w.slack.thread(CHANNEL, over.ts);
  await passUntil(w, () => thread().some(({ text }) => /canvas/i.test(text)), 'the line about the canvas');
  return { thread: thread(), text: reports(w).at(-1) ?? '' };
}

/** Look by look until a message of the channel says so: a busy machine may miss a look. */
async function untilSaid(w: World<ManualClock>, words: RegExp): Promise<void> {
  for (let minute = minuteOf('2026-03-10T15:05:00Z'); !inChannel(w).some(({ text }) => words.test(text)); minute += 5) {
    if (minute > minuteOf('2026-03-10T17:00:00Z')) throw new Error(`nobody said ${words}`);
    const at = Temporal.Instant.fromEpochMilliseconds(minute * 60_000);
    if (Temporal.Instant.compare(at, w.clock.now()) > 0) await passTo(w, at);
  }
}

/** Through the whole episode, with what people do; resolves to when they did it. */
async function happen(w: World<ManualClock>): Promise<Readonly<Record<'diego' | 'anjali', string>>> {
  const clock = (): string =>
    w.clock.now().toZonedDateTimeISO('Europe/Stockholm').toPlainTime().toString({ smallestUnit: 'minute' });
  await say(w, 'watch');
  await untilSaid(w, /Elevated since/);
  const diego = clock();
  await say(w, 'watch ack', 'diego');
  await untilSaid(w, /Now a surge/);
  const anjali = clock();
  await say(w, 'watch ack', 'anjali');
  await say(w, 'watch snooze 2h', 'maya');
  await untilSaid(w, /Over: /);
  return { diego, anjali };
}

describe('the report', () => {
  it('says what happened and who did what, with the numbers of the answer, as a file and as a canvas', async () => {
    const w = await world();
    const { diego, anjali } = await happen(w);
    const { thread, text } = await report(w);
    const answer = thread.find((message) => textOf(message).includes('The report is in the thread'));
    const title = answer?.text.split(': ')[0]?.replace(/^\S+ /u, '') ?? '';
    expect(title).toMatch(/^Surge 16:\d\d – 16:\d\d · [\d.]+× usual/);
    expect(text).toContain(`# Incident report: ${title}`);
    const timeline = text.slice(text.indexOf('## Timeline'), text.indexOf('## Numbers'));
    const course = [...timeline.matchAll(/^- \*\*2026-03-10 (\d\d:\d\d)\*\* (.+)$/gm)].map(([, at, what]) => [
      at,
      what,
    ]);
    const saying = (words: RegExp) => course.find(([, what = '']) => words.test(what));
    expect(saying(/^Began\. Surge: /)?.[0]).toBe(/Surge (\d\d:\d\d)/.exec(title)?.[1]);
    expect(saying(/^Ended/)?.[0]).toBe(/– (\d\d:\d\d)/.exec(title)?.[1]);
    expect(saying(/^The watch alerted this channel/)).toBeDefined();
    expect(saying(/^Acknowledged by Diego Fuentes/)?.[0]).toBe(diego);
    expect(saying(/^It became a surge/)).toBeDefined();
    expect(saying(/acknowledgment by Diego Fuentes no longer held/)).toBeDefined();
    expect(saying(/^Acknowledged by Anjali Rao/)?.[0]).toBe(anjali);
    expect(saying(/^Snoozed for 2 hours by Maya Lindholm/)?.[0]).toBe(anjali);
    expect(saying(/^The watch declared it over/)).toBeDefined();
    expect(course.map(([at]) => at)).toEqual(course.map(([at]) => at).toSorted());
    const [peak] = /peak \*?[\d,]+\*? at \d\d:\d\d/.exec(answer ? textOf(answer) : '') ?? [];
    expect(peak).toBeDefined();
    const [, count, at] = /([\d,]+)\*? at (\d\d:\d\d)/.exec(peak ?? '') ?? [];
    expect(saying(/^Peak/)).toEqual([at, `Peak: ${count} per minute.`]);

    // The canvas says the same, belongs to the channel, and mentions people.
    const [canvas, ...more] = w.slack.canvases();
    expect(more).toEqual([]);
    expect(canvas).toMatchObject({ title: `Incident report: ${title}`, access: { [CHANNEL]: 'write' } });
    expect(canvas?.markdown).toContain('Acknowledged by ![](@U0DIEGO001).');
    expect(canvas?.markdown.split('\n').length).toBe(text.split('\n').length - 2);
    expect(thread.at(-1)?.text).toMatch(
      /^The report is a canvas now: <http:\/\/127\.0\.0\.1:\d+\/docs\/T\w+\/F\w+\|Incident report: /,
    );
    expect(w.slack.refusals).toEqual([]);
  });

  it('is one button away while it goes on, and says how far it goes', async () => {
    const w = await world();
    await say(w, 'watch');
    await untilSaid(w, /Elevated since/);
    await say(w, 'watch ack', 'diego');
    const { text } = await report(w);
    // So soon, when it began is known to a minute or two.
    expect(text).toMatch(/^# Incident report: Elevated since (15:59|16:00)/);
    expect(text).toMatch(/^- \*\*2026-03-10 \d\d:\d\d\*\* Acknowledged by Diego Fuentes\.$/m);
    expect(text).not.toMatch(/^- .*(Ended|over)/m);
    expect(w.slack.canvases()).toHaveLength(1);
    expect(w.slack.refusals).toEqual([]);
  });

  it.each([
    [
      'without the scope',
      { prepare: (slack: LocalSlack) => slack.revokeScope('canvases:write') },
      /scope canvases:write .* manifest\.yml/,
    ],
    [
      'on a free plan',
      { slack: { workspace: { ...WORKSPACE, team: { ...WORKSPACE.team, plan: 'free' } } } },
      /your Slack plan doesn’t include them/,
    ],
  ] as const)('%s is a file all the same, and says what to do', async (_, options, says) => {
    const w = await world(options);
    await say(w, 'watch');
    await untilSaid(w, /Elevated since/);
    const { thread, text } = await report(w);
    expect(text).toContain('## Timeline');
    expect(thread.at(-1)?.text).toMatch(says);
    expect(thread.at(-1)?.text).toContain('The Markdown file has the same content.');
    expect(w.slack.canvases()).toEqual([]);
  });

  it('typed has a canvas if it is asked for, and a private one never', async () => {
    const w = await world();
    await passTo(w, '2026-03-10T16:20:00Z');
    await say(w, 'incident 15:00-16:30');
    await passUntil(w, () => reports(w).length === 1, 'the file');
    expect(reports(w)[0]).toContain('# Incident report: ');
    expect(w.slack.canvases()).toEqual([]);
    await say(w, 'incident 15:00-16:30 as a canvas');
    await passUntil(w, () => w.slack.canvases().length === 1, 'the canvas');
    await w.slack.command({ text: 'incident 15:00-16:30 canvas privately' });
    await passUntil(
      w,
      () => w.slack.ephemerals('maya').some((message) => textOf(message).includes('A private answer has no canvas')),
      'the private answer',
    );
    expect(w.slack.canvases()).toHaveLength(1);
  });
});
