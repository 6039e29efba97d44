/** A digest's whole life through the local Slack, with time in the test's hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { loggedBetween } from '../../../playground/service/statistics.ts';
import type { Message } from '../../../playground/slack/index.ts';
import { openStore } from '../../../src/store/index.ts';
import type { Subscription } from '../../../src/subscriptions/subscription.ts';
import type { ManualClock } from '../../support/clock.ts';
import { createRecordingLog } from '../../support/log.ts';
import {
  isDigest,
  passTo,
  passUntil,
  startScheduledWorld,
  textOf,
  type World,
  type WorldOptions,
} from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const CHANNEL = 'C0SECURITY';
const worlds: World<ManualClock>[] = [];
async function world(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const started = await startScheduledWorld(options);
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

async function ask(w: World<ManualClock>, text: string): Promise<Message> {
  await w.slack.command({ text });
  return w.slack.nextMessage({ match: ({ channel }) => channel === CHANNEL });
}

/** Moves time to the instant and waits for the message that it brings. */
async function next(w: World<ManualClock>, instant: string): Promise<Message> {
  const coming = w.slack.nextMessage();
  let come: Message | undefined;
  coming.then(
    (message) => {
      come = message;
    },
    () => undefined,
  );
  await w.clock.advanceTo(instant);
  await passUntil(w, () => come, `the message of ${instant}`);
  return coming;
}

const digestsIn = (w: World<ManualClock>): Message[] => w.slack.messages(CHANNEL).filter(isDigest);

/** The window that its buttons ask about. */
const windowOf = (message: Message): string => {
  const [, from = '', to = ''] = /timeline (\S+)Z\/(\S+)Z/.exec(textOf(message)) ?? [];
  return `${from} – ${to}`.replaceAll('T', ' ');
};

/** `170 attacks` */
const totalsOf = ({ text }: Message): string => /[\d,]+ attacks/.exec(text)?.[0] ?? text;

describe('a daily digest', () => {
  it('makes no call for details that it does not show', async () => {
    const w = await world({ service: { habits: { speaks: ['overviews'] } }, dialect: 'auto' });
    await ask(w, 'digest daily at 09:00');
    const first = await next(w, '2026-03-11T08:00:00Z');
    expect(totalsOf(first)).toMatch(/^[\d,]+ attacks$/);
    const details = ['action types', 'response codes', 'abnormal', 'events'] as const;
    expect(details.map((name) => w.service.calls(name).length)).toEqual([0, 0, 0, 0]);
    expect(w.service.calls('request timeline').length).toBeGreaterThan(0);
  });

  it('is made, comes on time, covers the time since the one before, and goes', async () => {
    // Tuesday, 15:30 in Stockholm.
    const w = await world({});
    const made = await ask(w, 'digest daily at 09:00');
    expect(textOf(made)).toContain('Next runs');
    expect(textOf(made)).toContain('Europe/Stockholm');
    expect(textOf(made)).toContain('by Maya Lindholm');

    const first = await next(w, '2026-03-11T08:00:00Z');
    expect(first.text).toMatch(/^\S+ Last 24 hours: /);
    expect(textOf(first)).toMatch(/[\d.]+ [kM] requests, \*[\d,]+ attacks\*, [+−±]\d+\s% vs /);
    expect(windowOf(first)).toBe('2026-03-10 07:57 – 2026-03-11 07:57');

    const second = await next(w, '2026-03-12T08:00:00Z');
    expect(windowOf(second)).toBe('2026-03-11 07:57 – 2026-03-12 07:57');
    expect(second.blocks.some(({ type }) => type === 'image')).toBe(true);

    const list = await ask(w, 'digest');
    expect(textOf(list)).toContain('sent');
    await ask(w, 'digest remove');
    await passTo(w, '2026-03-14T12:00:00Z');
    expect(digestsIn(w)).toHaveLength(2);
    expect(w.slack.refusals).toEqual([]);
  });

  it('keeps its local time through a change of clocks', async () => {
    const w = await world({ at: '2026-03-27T12:00:00Z' });
    await ask(w, 'digest daily at 09:00');
    const ends = [];
    for (const due of ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00']) {
      ends.push(windowOf(await next(w, `${due}:00Z`)).split(' – ')[1]);
    }
    expect(ends).toEqual(['2026-03-28 07:57', '2026-03-29 06:57', '2026-03-30 06:57']);
  });

  it('can be previewed by the asker alone, paused and resumed', async () => {
    const w = await world({});
    await ask(w, 'digest daily at 09:00');
    const preview = await ask(w, 'digest preview');
    expect(preview.visibleTo).toBe(MAYA);
    expect(preview.text).toMatch(/^🟢 Preview: Tue 10 Mar 08:57–15:27: calm/);
    await ask(w, 'digest pause');
    expect(textOf(await ask(w, 'digest'))).toContain('Paused');
    await passTo(w, '2026-03-11T10:00:00Z');
    expect(digestsIn(w)).toHaveLength(0);
    await ask(w, 'digest resume');
    await next(w, '2026-03-12T08:00:00Z');
    expect(digestsIn(w)).toHaveLength(1);
  });

  it('can be run now, and the next one covers the rest', async () => {
    const w = await world({});
    await ask(w, 'digest daily at 09:00');
    await w.slack.command({ text: 'digest run now' });
    await passUntil(w, () => digestsIn(w).length === 1, 'the digest that was asked for');
    await passTo(w, '2026-03-11T08:00:00Z');
    expect(windowOf(digestsIn(w)[1] ?? (digestsIn(w)[0] as Message))).toBe('2026-03-10 14:27 – 2026-03-11 07:57');
  });
});

describe('digests while logging is late', () => {
  it.each([
    ['150 seconds', 150_000],
    ['ten minutes', 600_000],
  ])('by %s: four of a quarter of an hour add up to what was logged', async (_, loggingMs) => {
    const w = await world({ service: { loggingMs }, environment: { WAFBOT_CHARTS: 'none' } });
    await ask(w, 'digest every 15 minutes');
    let attacks = 0;
    for (const due of ['14:45', '15:00', '15:15', '15:30']) {
      const digest = textOf(await next(w, `2026-03-10T${due}:00Z`));
      attacks += Number(/ requests, \*([\d,]+) attacks/.exec(digest)?.[1]?.replaceAll(',', ''));
      if (due !== '14:45' && loggingMs > 180_000) expect(digest).toMatch(/Includes \d+ attacks? from before \d\d:\d\d/);
    }
    const [fromMs, toMs] = [Date.parse('2026-03-10T14:27:00Z'), Date.parse('2026-03-10T15:27:00Z')];
    const model = { seed: 7, hosts: DEFAULT_HOSTS, loggingMs };
    const logged = loggedBetween(model, { fromMs, toMs, hosts: [] }, w.clock.now().epochMilliseconds);
    expect(attacks).toBe(logged.slice(1).reduce((sum, n) => sum + n, 0));
  });
});

describe('the buttons of a digest', () => {
  async function click(w: World<ManualClock>, message: Message, label: string): Promise<Message> {
    const buttons = message.blocks.flatMap((block) => (Array.isArray(block.elements) ? block.elements : []));
    const button = buttons.find((each) => each?.text?.text === label);
    if (button === undefined) throw new Error(`no button ${label}`);
    await w.slack.clickButton({ message, actionId: button.action_id });
    return w.slack.nextMessage({ match: ({ channel }) => channel === CHANNEL });
  }

  it('say so when it was paused or removed since', async () => {
    const w = await world({ environment: { WAFBOT_CHARTS: 'none' } });
    await ask(w, 'digest hourly');
    const posted = await next(w, '2026-03-10T15:00:00Z');
    expect((await click(w, posted, 'Pause this digest')).text).toMatch(/^Digest paused/);
    expect((await click(w, posted, 'Pause this digest')).text).toMatch(/^This digest is already paused/);
    await ask(w, 'digest remove');
    expect(textOf(await click(w, posted, 'Pause this digest'))).toContain('This digest was removed');
    // What it tells of is still there to be asked about.
    expect((await click(w, posted, 'Over time')).text).toMatch(/requests · /);
  });
});

describe('sentences', () => {
  it.each([
    ['digest weekdays 8:30', /working days|weekdays/i],
    ['digest mondays 9am on "nowhere"', /There's no host/],
    ['digest every 4 hours', /every 4 hours/i],
    ['digest hourly', /hour/i],
    ['digest monthly on the 1st at 7:00', /month/i],
    ['digest every 5 minutes', /15 minutes/],
    ['digest daily at 25:00', /\^\^/],
    ['digest daily at 09:00 in America/New_York', /America\/New_York/],
  ])('%s', async (text, expected) => {
    const w = await world();
    expect(textOf(await ask(w, text))).toMatch(expected);
  });

  it('at most twenty a channel', async () => {
    const w = await world();
    for (let at = 0; at < 20; at++)
      expect((await ask(w, `digest daily at ${String(at).padStart(2, '0')}:00`)).text).toMatch(/^Digest scheduled/);
    expect(textOf(await ask(w, 'digest daily at 23:00'))).toContain('20');
  });
});

describe('the form', () => {
  it('makes a digest, and says in the form what it refuses', async () => {
    const w = await world();
    const empty = await ask(w, 'digest');
    expect(empty.text).toContain('This channel has no digests');
    await w.slack.clickButton({ message: empty, actionId: 'say:modal:0' });
    await w.slack.waitFor(() => w.slack.modals(MAYA).length === 1, { what: 'the form' });
    const refused = await w.slack.submitView({
      values: { rhythm: 'daily at', time: '25:99', zone: 'Europe/Stockholm' },
    });
    expect(Object.keys(refused.errors)).toEqual(['time']);
    await w.slack.submitView({ values: { rhythm: 'weekdays', time: '8:30', zone: 'Asia/Kathmandu' } });
    expect(textOf(await w.slack.nextMessage())).toContain('Asia/Kathmandu');
    expect(w.slack.refusals).toEqual([]);
  });
});

/** A store that outlives a restart. */
async function onDisk(use: (environment: { WAFBOT_STORE: string }) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-digests-'));
  try {
    await use({ WAFBOT_STORE: `sqlite:${folder}/wafbot.db` });
  } finally {
    for (const started of worlds.splice(0)) await started.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Gives the digests of the sentence a zone that no machine knows, as data of a newer one could have. */
async function strand(storeUrl: string, sentence: string): Promise<void> {
  const store = await openStore(storeUrl, { log: createRecordingLog(), now: Temporal.Now.instant });
  await store.update<readonly Subscription[]>('digests', CHANNEL, (page) =>
    page?.map((digest) =>
      digest.sentence?.startsWith(sentence) && 'schedule' in digest.timing
        ? { ...digest, zone: 'Mars/Olympus', timing: { schedule: { ...digest.timing.schedule, zone: 'Mars/Olympus' } } }
        : digest,
    ),
  );
  await store.close();
}

const directMessages = (w: World<ManualClock>): Message[] =>
  w.slack
    .channels()
    .filter(({ id }) => id.startsWith('D'))
    .flatMap(({ id }) => w.slack.messages(id))
    .filter(({ botId }) => botId);

describe('trouble', () => {
  it('an outage: one late digest, marked, covering all of the gap', async () => {
    await onDisk(async (environment) => {
      const w = await world({ environment });
      await ask(w, 'digest daily at 09:00');
      await next(w, '2026-03-11T08:00:00Z');
      await w.restart(() => w.clock.leap(3 * 86_400_000 + 3_600_000));
      const late = await next(w, w.clock.now().toString());
      expect(late.text).toMatch(/^\S+ Late digest: /);
      expect(windowOf(late)).toBe('2026-03-11 07:57 – 2026-03-14 07:57');
      expect(digestsIn(w)).toHaveLength(2);
    });
  });

  it('a token revoked at the due time, and a restart with a good one: what was not told comes late, once', async () => {
    await onDisk(async (environment) => {
      const w = await world({ environment });
      await ask(w, 'digest every 15 minutes');
      await next(w, '2026-03-10T14:45:00Z');
      w.slack.faults.inject('chat.postMessage', { kind: 'error', error: 'token_revoked' });
      await passTo(w, '2026-03-10T15:00:00Z');
      expect(digestsIn(w)).toHaveLength(1);
      await w.restart(() => w.clock.leap(5 * 60_000));
      await passUntil(w, () => digestsIn(w).length > 1, 'the late digest');
      await passTo(w, '2026-03-10T15:15:00Z');
      expect(digestsIn(w).map(windowOf)).toEqual([
        '2026-03-10 14:27 – 2026-03-10 14:42',
        '2026-03-10 14:42 – 2026-03-10 14:57',
        '2026-03-10 14:57 – 2026-03-10 15:12',
      ]);
      expect(digestsIn(w)[1]?.text).toMatch(/^\S+ Late digest: /);
    });
  });

  it('a stored record that cannot be scheduled costs only itself, and is named in the log and by the doctor', async () => {
    await onDisk(async (environment) => {
      const w = await world({ environment });
      await ask(w, 'digest hourly');
      await ask(w, 'digest daily at 09:00');
      await w.restart(() => strand(environment.WAFBOT_STORE, 'daily'));
      const stranded = /"job":"digest\/C0SECURITY\/(\w+)".*unknown time zone “Mars\/Olympus”/.exec(w.logged.join('\n'));
      expect(stranded).not.toBeNull();
      expect(windowOf(await next(w, '2026-03-10T15:00:00Z'))).toBe('2026-03-10 13:57 – 2026-03-10 14:57');
      const list = textOf(await ask(w, 'digests'));
      expect(list).toContain('unknown time zone “Mars/Olympus”');
      expect(list).toContain('every hour');
      const doctor = textOf(await ask(w, 'doctor'));
      expect(doctor).toContain(`The digest ${stranded?.[1]} in the channel ${CHANNEL} can’t run`);
      expect(textOf(await ask(w, `digest resume ${stranded?.[1]}`))).toContain('Remove it and create it again');
      await ask(w, `digest remove ${stranded?.[1]}`);
      expect(textOf(await ask(w, 'doctor'))).not.toContain('Mars');
    });
  });

  it('a channel that is no longer allowed: paused instead of posting there, the owner told, the list says why', async () => {
    await onDisk(async (environment) => {
      const w = await world({ environment });
      await ask(w, 'digest hourly');
      await ask(w, 'watch attacks over 1 per 5m');
      await w.restart(undefined, { WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01', WAFBOT_ADMINS: MAYA });
      const before = w.slack.messages(CHANNEL).length;
      await passTo(w, '2026-03-10T15:00:00Z');
      await passUntil(w, () => directMessages(w).length >= 2, 'both notices');
      expect(w.slack.messages(CHANNEL)).toHaveLength(before);
      expect(directMessages(w).map(textOf)).toEqual([
        expect.stringContaining('settings no longer allow this channel'),
        expect.stringContaining('settings no longer allow this channel'),
      ]);
      expect(textOf(await ask(w, 'digests'))).toContain('settings no longer allow this channel');
      expect(textOf(await ask(w, 'digest resume'))).toContain('WAFBOT_ALLOWED_CHANNELS');
      expect(textOf(await ask(w, 'digest daily at 09:00'))).toContain('WAFBOT_ALLOWED_CHANNELS');
      await w.restart();
      await ask(w, 'digest resume');
      await passTo(w, '2026-03-10T16:00:00Z');
      expect(digestsIn(w).map(windowOf)).toEqual(['2026-03-10 14:57 – 2026-03-10 15:57']);
    });
  });

  it('an answer lost after the message was posted: found, not posted again', async () => {
    const w = await world({});
    await ask(w, 'digest daily at 09:00');
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await passTo(w, '2026-03-11T08:00:00Z');
    await passTo(w, '2026-03-12T07:00:00Z');
    expect(w.slack.calls('conversations.history').length).toBeGreaterThan(0);
    expect(digestsIn(w)).toHaveLength(1);
  });

  it('the bot thrown out: paused with the reason, the owner told once', async () => {
    const w = await world();
    await ask(w, 'digest hourly');
    w.slack.changeChannel(CHANNEL, { botIsMember: false });
    const told = await next(w, '2026-03-10T15:00:00Z');
    expect(told.channel).toMatch(/^D/);
    expect(textOf(told)).toContain('no longer in the channel');
    await passTo(w, '2026-03-10T20:00:00Z');
    w.slack.changeChannel(CHANNEL, { botIsMember: true });
    expect(textOf(await ask(w, 'digest'))).toContain('the bot is no longer in the channel');
    expect(directMessages(w)).toHaveLength(1);
  });

  it('an archived channel: paused with the reason, the owner told once', async () => {
    const w = await world();
    await ask(w, 'digest hourly');
    w.slack.changeChannel(CHANNEL, { archived: true });
    const told = await next(w, '2026-03-10T15:00:00Z');
    expect(told.channel).toMatch(/^D/);
    expect(textOf(told)).toContain('the channel is archived');
    await passTo(w, '2026-03-10T20:00:00Z');
    expect(digestsIn(w)).toEqual([]);
    expect(directMessages(w)).toHaveLength(1);
  });

  it('the service away at the due time: the digest waits and tells the numbers of its own hour, not of another', async () => {
    const w = await world();
    await ask(w, 'digest hourly');
    const first = await next(w, '2026-03-10T15:00:00Z');
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: ['timeline', 'distribution'] });
    await w.clock.advanceTo('2026-03-10T16:00:00Z');
    const isSettled = () => digestsIn(w).length > 1 || w.logged.some((line) => line.includes('could not compose'));
    await passUntil(w, isSettled, 'the first attempt');
    // By then all attacks of the hour have been logged, so that its numbers do not change any more.
    await w.clock.advanceTo('2026-03-10T16:04:00Z');
    expect(digestsIn(w)).toHaveLength(1);

    w.service.resetFaults();
    const late = await next(w, '2026-03-10T16:15:00Z');
    expect(windowOf(late)).toBe('2026-03-10 14:57 – 2026-03-10 15:57');
    const truth = await ask(w, 'timeline 2026-03-10 14:57 to 2026-03-10 15:57 in UTC');
    expect(totalsOf(late)).toBe(totalsOf(truth));
    expect(totalsOf(late)).not.toBe(totalsOf(first));
    expect(digestsIn(w)).toHaveLength(2);
  });

  it('the service away for too long: the digest says so, and the next one covers the time', async () => {
    const w = await world();
    await ask(w, 'digest hourly');
    await next(w, '2026-03-10T15:00:00Z');
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: ['timeline', 'distribution'] });
    const sorry = await next(w, '2026-03-10T16:20:00Z');
    expect(sorry.text).toMatch(/^Digest failed/);
    w.service.resetFaults();
    expect(windowOf(await next(w, '2026-03-10T17:00:00Z'))).toBe('2026-03-10 14:57 – 2026-03-10 16:57');
  });

  it('one that cannot be made for long: an honest line instead, and the next digest covers the time', async () => {
    const w = await world({});
    const id = '3ac26c59e15a4a11bb680a103a29ddb6';
    await ask(w, `hosts add shop ${id}`);
    await ask(w, 'digest daily at 09:00 on shop');
    await ask(w, 'hosts remove shop');
    await w.clock.advanceTo('2026-03-11T08:00:00Z');
    // A quarter of an hour of trying again.
    const sorry = await next(w, '2026-03-11T08:20:00Z');
    expect(sorry.text).toMatch(/^Digest failed: This digest is about “shop”, but that host no longer exists/);
    await ask(w, `hosts add shop ${id}`);
    expect(windowOf(await next(w, '2026-03-12T08:00:00Z'))).toBe('2026-03-10 07:57 – 2026-03-12 07:57');
  });
});
