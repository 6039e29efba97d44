/** One episode, told by the watch, a check, an incident and a digest: the same times, the same counts. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { isDigest, passTo, passUntil, startScheduledWorld, textOf, type World } from '../../support/world.ts';

const CHANNEL = 'C0SECURITY';
const MINUTE_MS = 60_000;
const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;

/** 06:10 to 07:00 in UTC on Wednesday; in Stockholm an hour later. */
const WAVE: Wave = {
  kind: 'step',
  fromMinute: minuteOf('2026-03-11T06:10:00Z'),
  minutes: 50,
  perMinute: 40,
  categories: { sqli: 0.7, xss: 0.3 },
  hosts: [DEFAULT_HOSTS[0]?.id ?? ''],
};
/** Halfway through it, another host is attacked as well. */
const SECOND: Wave = {
  ...WAVE,
  fromMinute: minuteOf('2026-03-11T06:35:00Z'),
  minutes: 25,
  perMinute: 30,
  hosts: [DEFAULT_HOSTS[1]?.id ?? ''],
};

let open: World<ManualClock> | undefined;
afterEach(async () => {
  await open?.stop();
  open = undefined;
});

async function world(waves: readonly Wave[], at = '2026-03-11T05:30:00Z'): Promise<World<ManualClock>> {
  const service = { seed: 13, seededWaves: false, waves, habits: { hostLists: 'cloud' } } as const;
  open = await startScheduledWorld({ at, service, environment: { WAFBOT_CHARTS: 'none' } });
  return open;
}

async function through(w: World<ManualClock>, from: string, to: string): Promise<void> {
  for (let minute = minuteOf(from); minute <= minuteOf(to); minute += 5)
    await passTo(w, Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS));
}

const EPISODE = /^(🟠|🔴|🟢) (Elevated|Surge|Over)/u;

/** The answer to a question that nothing else is posted with; what a watch or a digest posts is not one. */
async function ask(w: World<ManualClock>, text: string): Promise<Message> {
  const before = new Set(w.slack.messages(CHANNEL).map(({ ts }) => ts));
  await w.slack.command({ text });
  const answer = (): Message | undefined =>
    w.slack.messages(CHANNEL).find(({ ts, text: said }) => !before.has(ts) && said !== '' && said !== ' ');
  await passUntil(w, answer, `the answer to ${text}`);
  return answer() as Message;
}

const digest = (w: World<ManualClock>): Message | undefined => w.slack.messages(CHANNEL).find(isDigest);

/** `07:10 – 08:00`, wherever it stands. */
const spanIn = (message: Message | undefined): string | undefined =>
  /\d\d:\d\d – \d\d:\d\d/.exec(message === undefined ? '' : textOf(message))?.[0];

/** Of SQL injection, and of all attacks, in the episode. */
const countsIn = (message: Message | undefined): (string | undefined)[] => {
  const text = message === undefined ? '' : textOf(message);
  return [/SQL injection (\d[\d,]*\d)/.exec(text)?.[1], /([\d,]+) attacks\W* in 5\d min/.exec(text)?.[1]];
};

/** `on shop (98 % of the excess)`, `mostly shop (71 %) and api (22 %)` */
const hostsIn = (message: Message | undefined): string | undefined =>
  /(?:mostly|on) \S+ \(\d+\s%(?: of the excess\)|\)(?: and \S+ \(\d+\s%\))?)/i
    .exec(message === undefined ? '' : textOf(message))?.[0]
    .replaceAll(/\s/g, ' ');

describe('an episode that a watch has told of', () => {
  it('has the same times and counts in its messages, a check, an incident and the digest', async () => {
    const w = await world([WAVE, SECOND]);
    expect(JSON.stringify((await ask(w, 'check')).blocks)).toContain('Watch this channel');
    await ask(w, 'watch');
    await ask(w, 'digest daily at 09:00');
    await through(w, '2026-03-11T05:35:00Z', '2026-03-11T06:30:00Z');
    const live = w.slack.messages(CHANNEL).find(({ text }) => EPISODE.test(text));
    const since = /since (\d\d:\d\d)/.exec(live?.text ?? '')?.[1];
    const during = await ask(w, 'check');
    expect(during.text).toMatch(new RegExp(`^🔴 Surge since ${since} · `, 'u'));
    expect(hostsIn(live)).toMatch(/^on shop\.example\.org \(9\d\s% of the excess\)$/i);
    expect(hostsIn(during)).toBe(hostsIn(live));
    expect(JSON.stringify(during.blocks)).not.toContain('Watch this channel');
    await passTo(w, '2026-03-11T06:31:00Z');
    await ask(w, 'watch ack');
    await through(w, '2026-03-11T06:35:00Z', '2026-03-11T08:00:00Z');
    await passUntil(w, () => digest(w), 'the digest');

    const message = w.slack.messages(CHANNEL).find(({ text }) => /^🟢 Over: /u.test(text));
    const span = spanIn(message);
    expect(span).toMatch(/^07:1\d – 0[78]:\d\d$/);
    const incident = await ask(w, 'incident today 06:30-08:30');
    const check = await ask(w, 'check last 3h');
    expect([spanIn(incident), spanIn(check), spanIn(digest(w))]).toEqual([span, span, span]);
    expect(countsIn(incident)).toEqual(countsIn(message));
    expect(hostsIn(message)).toMatch(/^mostly shop\.example\.org \(\d\d\s%\) and \w+\.example\.org \(\d\d\s%\)$/i);
    for (const other of [incident, check, digest(w)])
      expect(hostsIn(other)?.toLowerCase()).toBe(hostsIn(message)?.toLowerCase());
    const strength = (of: Message | undefined) => /[\d.]+×/.exec(of === undefined ? '' : textOf(of))?.[0] ?? of;
    const strengths = [incident, check, digest(w)].map(strength);
    expect(strengths).toEqual([strength(message), strength(message), strength(message)]);
    const expected = (of: Message | undefined) => /about [\d,]+ expected/.exec(of === undefined ? '' : textOf(of))?.[0];
    expect(expected(message)).toMatch(/\d/);
    expect([expected(check), countsIn(check)]).toEqual([expected(message), countsIn(message)]);
    const total = countsIn(message)[1];
    const story = textOf(digest(w) as Message);
    expect(digest(w)?.text).toMatch(/^🔵 Last 24 hours: one surge, otherwise calm\. /u);
    expect(story).toContain(`: ${total} attacks, ${strength(message)} usual, led by SQL injection, mostly shop.`);
    expect(story).toMatch(/\(\d\d\s%\), acknowledged after /);
    expect(story).toContain('by Maya Lindholm (<');
    // The link leads to the first message of the episode.
    expect(story).toContain(`/archives/${CHANNEL}/p${message?.ts.replace('.', '')}|alert>`);
    expect(textOf(incident)).toContain('Acknowledged by Maya Lindholm after ');
    expect(w.slack.refusals).toEqual([]);
  });
});

describe('visitors who were gone', () => {
  const gone: Wave = { kind: 'visitors-gone', fromMinute: minuteOf('2026-03-11T06:10:00Z'), minutes: 50, perMinute: 0 };
  const said = (of: Message | undefined) => {
    const text = of === undefined ? '' : textOf(of);
    return [spanIn(of), /(\d[\d,]*) (?:visits\W|of about)/.exec(text)?.[1], /about ([\d,]+)/.exec(text)?.[1]];
  };

  it('have the same times and counts in the watch, a check, an incident and the digest', async () => {
    const w = await world([gone]);
    await ask(w, 'watch');
    await ask(w, 'digest daily at 09:00');
    await through(w, '2026-03-11T06:10:00Z', '2026-03-11T06:30:00Z');
    await ask(w, 'watch ack');
    await through(w, '2026-03-11T06:35:00Z', '2026-03-11T08:00:00Z');
    await passUntil(w, () => digest(w), 'the digest');
    const message = w.slack
      .messages(CHANNEL)
      .find(({ text }) => /^🟢 Over: visitors gone 07:10 – 08:00 · /u.test(text));
    expect(said(message)).toEqual(['07:10 – 08:00', expect.stringMatching(/\d/), expect.stringMatching(/\d/)]);
    const answers = [await ask(w, 'incident today 06:30-08:30'), await ask(w, 'check last 3h')];
    for (const answer of answers) expect(answer.text).toMatch(/^🔵 Visitors gone 07:10 – 08:00 · /u);
    expect([...answers, digest(w)].map(said)).toEqual([said(message), said(message), said(message)]);
    expect(digest(w)?.text).toMatch(/^🔵 Last 24 hours: visitors gone for 50 minutes, otherwise calm\. /u);
    expect(textOf(digest(w) as Message)).toContain('by Maya Lindholm (<');
  });

  it('are found by a digest that nobody watched for', async () => {
    const w = await world([gone, { ...WAVE, fromMinute: minuteOf('2026-03-10T18:00:00Z') }]);
    await ask(w, 'digest daily at 09:00');
    await passTo(w, '2026-03-11T08:00:00Z');
    await passUntil(w, () => digest(w), 'the digest');
    expect(digest(w)?.text).toMatch(/^🔵 Last 24 hours: one surge, visitors gone for 50 minutes, otherwise calm\. /u);
  });
});

describe('an episode that nobody watched', () => {
  it('is found by the digest, and has the times that an incident gives it', async () => {
    const w = await world([WAVE, { ...WAVE, fromMinute: minuteOf('2026-03-10T18:00:00Z'), categories: { cc: 1 } }]);
    await ask(w, 'digest daily at 09:00');
    await passTo(w, '2026-03-11T08:00:00Z');
    await passUntil(w, () => digest(w), 'the digest');
    expect(digest(w)?.text).toMatch(/^🔵 Last 24 hours: two surges, otherwise calm\. /u);
    const story = JSON.stringify(digest(w)?.blocks);
    const told = story.matchAll(
      /(?:10 Mar )?(\d\d:\d\d – \d\d:\d\d)\*?: [\d,]+ attacks, [\d.]+× usual, led by (CC attacks|SQL injection)/g,
    );
    const times = Object.fromEntries([...told].map(([, span, category = '']) => [category, span]));
    expect(Object.keys(times).toSorted()).toEqual(['CC attacks', 'SQL injection']);
    const incident = await ask(w, 'incident today 06:30-08:30');
    expect(spanIn(incident)).toBe(times['SQL injection']);
    expect(story).toContain(`${countsIn(incident)[1]} attacks`);
  });

  it('a calm time is one line and the totals', async () => {
    const w = await world([]);
    await ask(w, 'digest hourly');
    await passTo(w, '2026-03-11T06:00:00Z');
    await passUntil(w, () => digest(w), 'the digest');
    expect(digest(w)?.text).toMatch(/^🟢 Last hour: calm\. [\d,.]+( k)? requests, [\d,]+ attacks, [+−±]\d+ % vs /u);
    expect(digest(w)?.blocks.filter(({ type }) => type === 'section')).toHaveLength(1);
  });
});
