/** A bot that answers for two projects, through the real Bolt: each has its own service, store and people. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { StatisticsService } from '../../../playground/service/server.ts';
import type { Wave } from '../../../playground/service/waves.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { Clock } from '../../../src/clock.ts';
import { RECONCILE_EVERY_MS } from '../../../src/scheduler/reconcile-periodically.ts';
import { SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { createManualClock, eventually, type ManualClock } from '../../support/clock.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';
import { startTwoProjects, type TwoProjects } from '../../support/two-projects.ts';
import { isDigest, keepingUpRarely, passTo, passUntil, TUESDAY, textOf } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const CHANNEL = 'C0SECURITY';
const ONCALL = 'C0ONCALL01';
const SHOP = DEFAULT_HOSTS[0]?.id ?? '';
const MINUTE_MS = 60_000;

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Options = Parameters<typeof startTwoProjects>[1];

async function started<C extends Clock>(clock: C, options: Options): Promise<TwoProjects<C>> {
  const environment = { WAFBOT_CHARTS: 'none', ...options.environment };
  const world = await startTwoProjects(clock, { ...options, environment });
  stops.push(() => world.stop());
  return world;
}

const talking = (options: Options = {}): Promise<TwoProjects<ImpatientClock>> =>
  started(createImpatientClock(TUESDAY, [SLOW_AFTER_MS, RECONCILE_EVERY_MS]), options);

const scheduled = (options: Options = {}): Promise<TwoProjects<ManualClock>> =>
  started(keepingUpRarely(createManualClock(TUESDAY)), { ...options, slack: { fileReadyAfter: 0 } });

/** The answer that the work brings; what comes by itself may come in between. */
async function answerTo(w: TwoProjects<Clock>, work: () => Promise<unknown>, channel = CHANNEL): Promise<Message> {
  const before = new Set(w.slack.messages(channel).map(({ ts }) => ts));
  await work();
  const isAnswer = (message: Message): boolean => !before.has(message.ts) && !isDigest(message) && !isEpisode(message);
  return w.slack.waitFor(() => w.slack.messages(channel).find(isAnswer), { what: 'the answer' });
}

const isEpisode = (message: Message): boolean => textOf(message).includes('This channel watches for');

const ask = (w: TwoProjects<Clock>, text: string, channel = CHANNEL): Promise<Message> =>
  answerTo(w, () => w.slack.command({ text, channel, user: MAYA }), channel);

/** What only the asker sees. */
async function toAskerAlone(w: TwoProjects<Clock>, text: string): Promise<Message> {
  const before = w.slack.ephemerals(MAYA).length;
  await w.slack.command({ text, channel: CHANNEL, user: MAYA });
  return w.slack.waitFor(() => w.slack.ephemerals(MAYA)[before], { what: 'what only the asker sees' });
}

/** How often each service is asked for numbers meanwhile. */
async function calls(w: TwoProjects<Clock>, work: () => Promise<unknown>): Promise<{ eu: number; us: number }> {
  const asked = ({ requests }: StatisticsService): number => requests.filter(({ call }) => call !== 'token').length;
  const [eu, us] = [asked(w.service), asked(w.us)];
  await work();
  return { eu: asked(w.service) - eu, us: asked(w.us) - us };
}

const buttonsOf = (message: Message) =>
  message.blocks
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .filter((each) => each?.type === 'button');

async function press(w: TwoProjects<Clock>, message: Message, label: string): Promise<void> {
  const button = buttonsOf(message).find((each) => each?.text?.text === label);
  if (button === undefined) throw new Error(`no button ${label} in ${textOf(message)}`);
  await w.slack.clickButton({ message, actionId: button.action_id });
}

describe('a question', () => {
  it('asks the service of its project alone, keeps the answers apart, and says which it is about', async () => {
    const w = await talking();
    expect(
      await calls(w, async () => expect(textOf(await ask(w, 'timeline last 6h'))).toContain('project eu · all hosts')),
    ).toMatchObject({ us: 0 });
    const first = await calls(w, async () => {
      expect(textOf(await ask(w, 'timeline last 6h in project us'))).toContain('project us · all hosts');
    });
    expect(first.eu).toBe(0);
    expect(first.us).toBeGreaterThan(0);
    // Both are kept now.
    const again = async (): Promise<void> => {
      await ask(w, 'timeline last 6h');
      await ask(w, 'timeline last 6h in project us');
    };
    expect(await calls(w, again)).toEqual({ eu: 0, us: 0 });
    // Answers are written a moment later.
    const spaces = ['cache-answers', 'cache-answers-us', 'cache-tokens', 'projects'];
    await eventually(async () => new Set(spaces).isSubsetOf(new Set(await w.bot.store.spaces())), spaces.join(', '));
    expect(w.service.requests.every(({ target }) => !target.includes('project-us'))).toBe(true);
    expect(w.us.requests.every(({ target }) => target.includes('project-us'))).toBe(true);
    // Pressed later, a button is about the same project.
    const message = await ask(w, 'timeline last 6h in project us');
    await ask(w, 'settings project eu');
    expect(textOf(await answerTo(w, () => press(w, message, 'By category')))).toContain('project us · all hosts');
  });

  it('finds the names of its own project only', async () => {
    const w = await talking();
    expect(textOf(await ask(w, `hosts add shop ${SHOP} in project us`))).toContain('Project *us*');
    expect(textOf(await ask(w, 'timeline last 6h on shop@us'))).toContain('project us · shop');
    const refused = await toAskerAlone(w, 'timeline last 6h on shop@eu');
    expect(refused.text).toContain("There's no host “shop” in project eu");
    const there = await answerTo(w, () => press(w, refused, 'In project us'));
    expect(textOf(there)).toContain('project us · shop');
    expect(textOf(await ask(w, 'hosts'))).toContain('No hosts yet');
    expect(textOf(await ask(w, 'hosts in project us'))).toContain(SHOP);
  });

  it('is answered for one project while the service of the other fails', async () => {
    const w = await talking();
    w.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    const failed = textOf(await toAskerAlone(w, 'check'));
    expect(failed).toContain('Project eu: ');
    expect(textOf(await ask(w, 'check in project us'))).toContain('project us · ');
    const doctor = textOf(await ask(w, 'doctor'));
    expect(doctor).toMatch(/✗ \*Project eu · Token:\*/);
    expect(doctor).toMatch(/✓ \*Project us · Statistics service:\*/);
    expect(doctor).toMatch(/✓ \*Project us · Access key:\*/);
    expect(w.logged.some((line) => line.includes('"project":"eu"'))).toBe(true);
  });

  it('about a project that is not for the channel is refused kindly, and to that person alone', async () => {
    const w = await talking({ file: { us: [`allowed_channels: [${ONCALL}]`] } });
    const none = await calls(w, async () => {
      const refused = textOf(await toAskerAlone(w, 'check in project us'));
      expect(refused).toContain("Project us can't be used in this channel");
      expect(refused).toContain(`<#${ONCALL}>`);
    });
    expect(none).toEqual({ eu: 0, us: 0 });
    expect(textOf(await ask(w, 'check in project us', ONCALL))).toContain('project us · ');
  });

  it('compares the same window of both', async () => {
    const w = await talking();
    const text = textOf(await ask(w, 'compare last 6h vs project us'));
    expect(text).toContain('vs project us');
    expect(text).toContain('project eu · all hosts');
    w.us.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    expect(textOf(await toAskerAlone(w, 'compare last 2 days vs project us'))).toContain('Project us: ');
  });

  it('about when a watch would have called is about its project', async () => {
    const w = await talking();
    // One that counts is replayed in a moment.
    await ask(w, 'watch attacks over 5000 per 15m in project us');
    const asked = await calls(w, async () => {
      expect(textOf(await toAskerAlone(w, 'watch preview'))).toContain('project us · all hosts');
    });
    expect(asked.eu).toBe(0);
    expect(asked.us).toBeGreaterThan(0);
  });
});

describe('forms', () => {
  it('offer the projects that may be asked about there', async () => {
    const w = await talking();
    await press(w, await ask(w, 'settings'), 'Change');
    const settings = await w.slack.waitFor(
      () => w.slack.modals().find(({ callbackId }) => callbackId === 'form_settings'),
      {
        what: 'the form',
      },
    );
    const values = { zone: 'UTC', project: 'us', answers: 'public' };
    const saved = await answerTo(w, () => w.slack.submitView({ viewId: settings.id, values }));
    expect(textOf(saved)).toContain('*Project:* us; eu with “in project eu”');
    await press(w, await ask(w, 'digests'), 'New digest');
    const digest = await w.slack.waitFor(
      () => w.slack.modals().find(({ callbackId }) => callbackId === 'form_digest'),
      {
        what: 'the form',
      },
    );
    // The channel's own first.
    expect(JSON.stringify(digest)).toMatch(/"initial_option":\{"text":\{[^}]*"text":"us"/);
    const wish = { rhythm: 'daily at', time: '09:00', zone: 'UTC', project: 'eu' };
    const made = await answerTo(w, () => w.slack.submitView({ viewId: digest.id, values: wish }));
    expect(textOf(made)).toContain('in project eu');
  });
});

const minuteOf = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / MINUTE_MS;
const wave = (from: string, minutes: number, perMinute: number): Wave => ({
  kind: 'step',
  fromMinute: minuteOf(`2026-03-10T${from}:00Z`),
  minutes,
  perMinute,
});

/** What only MAYA sees, and all that CHANNEL saw, since the work began. */
async function seenAfter(w: TwoProjects<Clock>, work: () => Promise<unknown>, channel = CHANNEL): Promise<string> {
  const seen = () => [...w.slack.ephemerals(MAYA), ...w.slack.messages(channel)];
  const before = new Set(seen());
  const news = () => seen().filter((message) => !before.has(message));
  await work();
  await w.slack.waitFor(() => (news().length > 0 ? true : undefined), { what: 'an answer' });
  return news().map(textOf).join();
}

describe('a channel that no project is for', () => {
  const CLOSED = { eu: [`allowed_channels: [${ONCALL}]`], us: [`allowed_channels: [${ONCALL}]`] };

  async function closedLater(): Promise<TwoProjects<ImpatientClock>> {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-closed-'));
    stops.push(async () => rmSync(folder, { recursive: true }));
    const w = await talking({ environment: { WAFBOT_STORE: `sqlite:${folder}/bot.db` } });
    await ask(w, `hosts add hushhost ${SHOP}`);
    await ask(w, `hosts add hushhost ${SHOP} in project us`);
    await ask(w, 'settings project us hosts hushhost');
    return w;
  }

  it('is told no host name by settings, however they are asked for, and saves nothing about one', async () => {
    const w = await closedLater();
    await w.restart(() => w.writeFile(CLOSED));
    const before = await w.bot.store.space('settings').get(CHANNEL);
    const questions = [
      'settings hosts zzz',
      'settings hosts hush',
      'settings project none hosts zzz',
      'settings project us hosts zzz',
      'settings',
      'settings project none',
      'help',
      'zzz',
    ];
    for (const text of questions)
      expect(await seenAfter(w, () => w.slack.command({ text, channel: CHANNEL, user: MAYA })), text).not.toContain(
        'hushhost',
      );
    expect(await w.bot.store.space('settings').get(CHANNEL)).toEqual(before);
    const { message } = await w.slack.directMessage({ text: 'settings hosts zzz', user: MAYA });
    const direct = await w.slack.waitFor(() => w.slack.messages(message?.channel).find(({ user }) => user !== MAYA), {
      what: 'the answer',
    });
    expect(textOf(direct)).not.toContain('hushhost');
  });

  it('opens no form from an old button, and says why', async () => {
    const w = await closedLater();
    const old = [await ask(w, 'settings'), await ask(w, 'digests')];
    await w.restart(() => w.writeFile(CLOSED));
    for (const [at, label] of ['Change', 'New digest'].entries()) {
      const message = old[at];
      if (message === undefined) throw new Error('no message');
      expect(await seenAfter(w, () => press(w, message, label))).toContain('be used in this channel');
    }
    expect(w.slack.modals()).toEqual([]);
    await w.restart(() => w.writeFile(), { WAFBOT_ALLOWED_CHANNELS: ONCALL });
    for (const message of old.slice(0, 1))
      expect(await seenAfter(w, () => press(w, message, 'Change'))).toContain('not allowed to answer in this channel');
    expect(w.slack.modals()).toEqual([]);
  });
});

describe('the Home tab', () => {
  it('has the worst of all projects, by its name', async () => {
    const quiet = { seededWaves: false };
    const w = await talking({ service: quiet, usService: { ...quiet, waves: [wave('13:50', 60, 90)] } });
    await w.slack.openHome(MAYA);
    const home = await w.slack.waitFor(
      () => {
        const text = JSON.stringify(w.slack.home(MAYA)?.blocks ?? []);
        return text.includes('Other projects') ? text : undefined;
      },
      { what: 'the Home tab' },
    );
    expect(home).toMatch(/🔴 Are we under attack\? Yes · project us"/);
    expect(home).toContain('Other projects: eu: calm');
    expect(home).toContain('check in project us');
  });
});

const digestsIn = (w: TwoProjects<Clock>): Message[] => w.slack.messages(CHANNEL).filter(isDigest);

describe('what runs by itself', () => {
  it('tells each project’s digests and watches, and nothing of the other', async () => {
    const quiet = { seededWaves: false };
    const w = await scheduled({ service: quiet, usService: { ...quiet, waves: [wave('14:40', 15, 90)] } });
    for (const text of ['digest hourly in UTC', 'watch']) {
      await ask(w, text);
      const made = textOf(await ask(w, `${text} in project us`));
      expect(made).toContain('in project us');
      expect(made).not.toContain('already');
    }
    const listed = textOf(await ask(w, 'watches'));
    expect(listed).toContain('*2* watches');
    expect(listed).toMatch(/in project eu.*in project us/s);

    for (let minute = minuteOf('2026-03-10T14:35:00Z'); minute <= minuteOf('2026-03-10T14:50:00Z'); minute += 5)
      await passTo(w, Temporal.Instant.fromEpochMilliseconds(minute * MINUTE_MS));
    const episodes = w.slack.messages(CHANNEL).filter(isEpisode);
    expect(episodes.map((message) => /project \w+ · all hosts/.exec(textOf(message))?.[0])).toEqual([
      'project us · all hosts',
    ]);
    // What a watch of one project told is nothing that the other project saw.
    expect(textOf(await ask(w, 'check'))).toMatch(/project eu · all hosts/);

    await w.clock.advanceTo('2026-03-10T15:00:00Z');
    await passUntil(w, () => digestsIn(w).length === 2, 'both digests');
    const told = digestsIn(w).map(textOf);
    const [eu, us] = ['eu', 'us'].map(
      (name) => told.find((text) => text.includes(`project ${name} · all hosts`)) ?? '',
    );
    expect(eu).toMatch(/calm/);
    expect(us).toMatch(/one surge/);
    expect(us).toContain('in project us');
    expect(new Set(told).size).toBe(2);
  });

  it('goes on after a restart; one whose project is closed to the channel, or gone, is paused with that reason', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-two-store-'));
    stops.push(async () => rmSync(folder, { recursive: true }));
    const w = await scheduled({ environment: { WAFBOT_STORE: `sqlite:${path.join(folder, 'wafbot.db')}` } });
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'digest hourly in UTC on shop');
    await ask(w, 'digest hourly in UTC in project us');
    // Another default does not change whose the names and the digests are.
    await w.restart(() => w.writeFile({ default: 'us' }));
    expect(textOf(await ask(w, 'timeline last 6h'))).toContain('project us · all hosts');
    expect(textOf(await ask(w, 'timeline last 6h on shop@eu'))).toContain('project eu · shop');
    await w.clock.advanceTo('2026-03-10T15:00:00Z');
    await passUntil(w, () => digestsIn(w).length === 2, 'both digests');
    expect(
      digestsIn(w)
        .map((message) => /project \w+ · \w+/.exec(textOf(message))?.[0])
        .toSorted(),
    ).toEqual(['project eu · shop', 'project us · all']);

    await w.restart(() => w.writeFile({ us: [`allowed_channels: [${ONCALL}]`] }));
    await passTo(w, '2026-03-10T16:00:00Z');
    expect(digestsIn(w)).toHaveLength(3);
    expect(textOf(await ask(w, 'digests'))).toContain('its project is no longer available in this channel');
    const asked = await calls(w, async () => {
      expect(textOf(await toAskerAlone(w, 'digest preview 2'))).toContain(
        'This project isn’t available in this channel',
      );
    });
    expect(asked.us).toBe(0);

    await w.restart(() => w.writeFile({ eu: null, default: 'us' }));
    await passTo(w, '2026-03-10T17:00:00Z');
    expect(digestsIn(w)).toHaveLength(3);
    expect(textOf(await ask(w, 'digests'))).toContain('its project is no longer set up');
  });
});

describe('hosts that each service lists', () => {
  it('are known in their own project alone, from one list of each', async () => {
    const [shop] = DEFAULT_HOSTS;
    if (shop === undefined) throw new Error('no host');
    const store = { ...shop, id: 'ab12cd34ef56ab12cd34ef56ab12cd34', name: 'store' };
    const w = await talking({
      service: { habits: { hostLists: 'cloud' } },
      usService: { habits: { speaks: ['overviews'], hostLists: 'cloud' }, hosts: [store] },
    });
    expect(textOf(await ask(w, 'timeline last 3h on store@us'))).toMatch(
      /requests.*project us · store\.example\.org · /s,
    );
    expect(textOf(await ask(w, 'timeline last 3h on shop'))).toMatch(/requests.*project eu · shop\.example\.org · /s);
    const [ofEu, ofUs] = [w.service, w.us].map((service) =>
      service.requests.flatMap(({ search }) => search.getAll('hosts')),
    );
    expect([new Set(ofEu), new Set(ofUs)]).toEqual([new Set([shop.id]), new Set([store.id])]);
    expect(textOf(await toAskerAlone(w, 'timeline last 3h on store'))).toContain(
      "There's no host “store” in project eu",
    );
    expect(textOf(await toAskerAlone(w, 'timeline last 3h on shop in project us'))).toContain(
      "There's no host “shop” in project us",
    );
    expect([w.service, w.us].map((service) => service.calls('cloud hosts').length)).toEqual([1, 1]);
  });
});
