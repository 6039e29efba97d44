/** What people are told when the statistics service is away, lies or leaves something out; and how often it is asked. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { serviceGraceMs } from '../../../src/bot.ts';
import { eventually } from '../../support/clock.ts';
import { startQuickchart } from '../../support/quickchart-server.ts';
import {
  passUntil,
  startScheduledWorld,
  startWorld,
  textOf,
  type World,
  type WorldOptions,
} from '../../support/world.ts';

const worlds: World[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld(options);
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

async function ask(w: World, text: string): Promise<Message> {
  await w.slack.command({ text });
  return w.slack.nextMessage();
}

/** `7,443 requests, 170 attacks` */
const totalsOf = (message: Message): string => /^.+ requests · [\d,]+ attacks/.exec(message.text)?.[0] ?? '';
const DOWN = { kind: 'refuse', code: 'APIG.0613' } as const;

describe('the service away for a moment', () => {
  it('the numbers of another window are never told under the window that was asked for', async () => {
    const w = await world({ at: '2026-03-10T10:00:00Z' });
    const morning = await ask(w, 'timeline last 1h');
    await ask(w, 'attacks last 1h');
    expect(totalsOf(morning)).not.toBe('');
    w.clock.set('2026-03-10T10:20:00Z');
    w.service.misbehave(DOWN);
    for (const verb of ['timeline', 'attacks', 'compare', 'check']) {
      const answer = await ask(w, `${verb} last 1h`);
      expect(answer.text).toMatch(/^Can't reach your WAF statistics.* \(unavailable\)/);
      expect(textOf(answer)).not.toContain(totalsOf(morning));
    }
    w.service.resetFaults();
    const afterwards = await ask(w, 'timeline last 1h');
    expect(textOf(afterwards)).toContain('Tue 10 Mar 10:20–11:20 · Europe/Stockholm (UTC+1)');
    expect(totalsOf(afterwards)).not.toBe(totalsOf(morning));
  });

  it('earlier numbers of the very same window are told with their age, in the text of the notification too', async () => {
    const w = await world({ at: '2026-03-10T10:00:00Z' });
    const sentence = 'check 2026-03-10T09:00Z/2026-03-10T10:00Z';
    const attacksIn = ({ text }: Message): string => /[\d,]+ attacks/.exec(text)?.[0] ?? '';
    const first = await ask(w, sentence);
    w.clock.set('2026-03-10T10:12:00Z');
    w.service.misbehave(DOWN);
    const again = await ask(w, sentence);
    expect(attacksIn(again)).toBe(attacksIn(first));
    expect(again.text).toMatch(
      /^⚪ Can't reach your WAF statistics · calm at 11:00: Last numbers, from 12 minutes ago: /u,
    );
    expect(textOf(again)).toContain('Tue 10 Mar 10:00–11:00 · Europe/Stockholm (UTC+1)');
  });

  it('complete numbers are told without the service', async () => {
    const w = await world({ at: '2026-03-10T10:03:00Z' });
    const sentence = 'timeline 2026-03-10T09:00Z/2026-03-10T10:00Z';
    const first = await ask(w, sentence);
    w.clock.set('2026-03-10T10:30:00Z');
    w.service.misbehave(DOWN);
    expect((await ask(w, sentence)).text).toBe(first.text);
  });
});

describe('an answer without the list of attacks', () => {
  it.each(['absent', 'null', 'empty'])(
    '(%s) is not told as no attacks, in words, table, file or chart',
    async (how) => {
      const w = await world();
      const without = ({ attacks, ...rest }: Record<string, unknown>) =>
        how === 'absent' ? rest : { ...rest, attacks: how === 'null' ? null : [] };
      w.service.misbehave({ kind: 'change', change: without }, { on: 'timeline' });
      const timeline = await ask(w, 'timeline yesterday');
      expect(timeline.text).toMatch(/[\d.]+ M requests · attacks unknown/);
      expect(textOf(timeline)).toContain('The service has no numbers of attacks for this window');
      const compared = await ask(w, 'compare yesterday vs previous');
      expect(compared.text).toContain('attacks unknown');
      for (const message of [timeline, compared, await ask(w, 'check yesterday')]) {
        expect(textOf(message)).not.toMatch(/\bno attacks\b|\b0 attacks\b|down to none/i);
      }
      await w.slack.command({ text: 'timeline yesterday csv' });
      const csv = () => w.slack.files().find(({ name, state }) => name.endsWith('.csv') && state === 'completed');
      await eventually(csv, 'the file');
      expect(csv()?.bytes?.toString()).toMatch(/,\d+,,yes\r\n/);
    },
  );
});

describe('equal questions', () => {
  it('of 50 people at once are one question to the service, and a repeated one within the minute is free', async () => {
    const people = Array.from({ length: 50 }, (_, n) => ({
      id: `U0PERSON${n}`,
      name: `person${n}`,
      realName: `Person ${n}`,
    }));
    const users = [...WORKSPACE.users, ...people];
    const w = await world({ slack: { workspace: { ...WORKSPACE, users } } });
    const calls = () => w.service.calls('timeline').length;
    await Promise.all(
      people.map(async ({ id }, n) => {
        w.clock.set(`2026-03-10T14:30:${10 + Math.floor(n / 2)}.${100 + n}Z`);
        await w.slack.command({ user: id, text: 'timeline last 24h privately' });
      }),
    );
    for (let n = 0; n < 50; n += 1) {
      const answer = await w.slack.nextMessage();
      expect(textOf(answer)).toContain('Mon 9 Mar 14:30 – Tue 10 Mar 14:30 · UTC');
    }
    // The window, the one that it is compared with, and those that episodes are found in: each once.
    const windows = w.service.calls('timeline').map(({ search }) => `${search.get('from')}-${search.get('to')}`);
    expect(new Set(windows).size).toBe(windows.length);
    expect(calls()).toBe(10);
    w.clock.set('2026-03-10T14:30:59Z');
    await ask(w, 'timeline last 24h');
    expect(calls()).toBe(10);
    w.clock.set('2026-03-10T14:31:00Z');
    await ask(w, 'timeline last 24h');
    expect(calls()).toBeGreaterThan(10);
  });
});

describe('a service that asks for a pause of three thousand years', () => {
  it('gets five minutes, the doctor says until when, and then people have their answers again', async () => {
    const w = await world({ at: '2026-03-10T14:30:00Z' });
    const changes = { retryAfter: '99999999999' };
    const recover = w.service.misbehave({ kind: 'refuse', code: 'APIG.0308', changes }, { on: 'timeline' });
    const refused = await ask(w, 'timeline yesterday');
    recover();
    expect(refused.text).toMatch(/^Can't reach your WAF statistics.* \(rate limited\)/);
    expect(textOf(refused)).toContain('Ask again in 5 min.');
    w.clock.set('2026-03-10T14:32:00Z');
    expect(textOf(await ask(w, 'doctor'))).toContain('asked for a pause until 14:35:00 UTC');
    w.clock.set('2026-03-10T14:35:01Z');
    expect(totalsOf(await ask(w, 'timeline yesterday'))).not.toBe('');
  });
});

describe('a window with other times than asked for', () => {
  it('is told with what is missing, in the notification and in the text of the picture too', async () => {
    const w = await world({ environment: { WAFBOT_CHARTS: 'embedded' } });
    const anHourLater = (points: unknown) =>
      Array.isArray(points) ? points.map((point) => ({ ...point, time: point.time + 3_600_000 })) : points;
    w.service.misbehave(
      {
        kind: 'change',
        change: (body) => Object.fromEntries(Object.entries(body).map(([name, points]) => [name, anHourLater(points)])),
      },
      { on: 'timeline' },
    );
    const answer = await ask(w, 'timeline last 30h');
    expect(answer.text).toContain('No numbers for 60 minutes.');
    const picture = await w.slack.waitFor(() => w.slack.message(answer)?.blocks.find(({ type }) => type === 'image'), {
      what: 'the picture',
    });
    expect(JSON.stringify(picture)).toContain('No numbers for 60 minutes.');
  });
});

describe('an hour without numbers', () => {
  /** Its points are left out of every answer. */
  const leaveOut = (w: World, fromMs: number): void => {
    const isKept = (point: { readonly time: number }) => point.time < fromMs || point.time >= fromMs + 3_600_000;
    const keep = (points: unknown) => (Array.isArray(points) ? points.filter(isKept) : points);
    const change = (body: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(body).map(([name, points]) => [name, keep(points)]));
    w.service.misbehave({ kind: 'change', change }, { on: 'timeline' });
  };

  it.each(['timeline last 30h', 'compare last 30h', 'check last 30h', 'incident last 30h'])(
    'is named in the notification and in the text of the picture: %s',
    async (sentence) => {
      const w = await world({ environment: { WAFBOT_CHARTS: 'embedded' } });
      leaveOut(w, Date.UTC(2026, 2, 10, 12));
      const answer = await ask(w, sentence);
      expect(answer.text).toContain('No numbers for 60 minutes.');
      const picture = await w.slack.waitFor(
        () => w.slack.message(answer)?.blocks.find(({ type }) => type === 'image'),
        {
          what: 'the picture',
        },
      );
      expect(JSON.stringify(picture)).toContain('No numbers for 60 minutes.');
    },
  );
});

/** Six of the eight seconds that a stop may take. */
const STOP_GRACE_MS = serviceGraceMs({ stopMs: 8_000 });

describe('a stop', () => {
  it('does not wait for a service that drips, and the asker is told', async () => {
    const w = await world();
    w.service.misbehave({ kind: 'drip' }, { on: 'timeline' });
    await w.slack.command({ text: 'timeline last 24h' });
    await eventually(() => w.service.calls('timeline').length > 0, 'the question');
    const stopped = w.bot.stop();
    await eventually(() => w.clock.waits.includes(STOP_GRACE_MS), 'the stop');
    w.clock.end(STOP_GRACE_MS);
    const told = textOf(await w.slack.nextMessage());
    expect(told).toContain('The bot is restarting');
    expect(told).toContain('Try again');
    // It says nothing about the service, which is fine.
    expect(told).not.toMatch(/statistics|service/i);
    await stopped;
  });

  it('does not wait for a chart server that drips: the chart is drawn here', async () => {
    const charts = await startQuickchart();
    try {
      const w = await world({ environment: { WAFBOT_CHARTS: `quickchart:${charts.url}` } });
      const asked = Promise.withResolvers<void>();
      charts.behave = (response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const timer = setInterval(() => response.write('x'), 5);
        response.once('close', () => clearInterval(timer));
        asked.resolve();
      };
      await w.slack.command({ text: 'timeline last 24h' });
      await asked.promise;
      const stopped = w.bot.stop();
      await eventually(() => w.clock.waits.includes(STOP_GRACE_MS), 'the stop');
      w.clock.end(STOP_GRACE_MS);
      const answer = await w.slack.nextMessage();
      await stopped;
      // The text goes first where a picture takes long, and the picture follows into it.
      expect(w.slack.message(answer)?.blocks.map(({ type }) => type)).toContain('image');
      expect(w.logged.join()).not.toContain('chart server failed');
    } finally {
      await charts.close();
    }
  });
});

describe('a service that has the other interface', () => {
  const habits = { speaks: ['overviews'], without: ['request timeline', 'classification', 'distribution'] } as const;

  it('is found out, answers with the same numbers, and people read what it does not tell', async () => {
    const events = await world();
    const overviews = await world({ service: { habits }, dialect: 'auto' });
    for (const sentence of ['timeline last 24h', 'check last 2h']) {
      const [here, there] = [await ask(events, sentence), await ask(overviews, sentence)];
      expect(there.text).toBe(here.text);
    }
    const attacks = textOf(await ask(overviews, 'attacks last 24h'));
    expect(attacks).toContain('Basic web protection');
    expect(attacks).toContain('This service counts attacks in four groups, not by category.');
    const doctor = textOf(await ask(overviews, 'doctor'));
    expect(doctor).toContain('overviews dialect, detected by a probe');
    expect(doctor).toContain('from the qps query. Points are labeled with their start, and the timeline agrees');
    expect(doctor).toContain('It groups the categories into four: a single one is unknown, not zero.');
    // The probe, and an hour held against its totals; the rest are questions.
    const probes = overviews.service.calls('statistics').slice(0, 2);
    expect(probes.map(({ search }) => Number(search.get('to')) - Number(search.get('from')))).toEqual([
      3_600_000, 3_600_000,
    ]);
  });
});

describe('a service that forbids one query', () => {
  it('is told by the doctor in one line, first, with what that costs and the fix', async () => {
    const w = await world();
    w.service.misbehave({ kind: 'answer', answer: { status: 403, body: {} } }, { on: 'distribution' });
    const doctor = await ask(w, 'doctor');
    expect(doctor.text).toMatch(/^Doctor: 1 of \d+ checks failed/);
    const text = textOf(doctor);
    expect(text).toContain('✗ *Categories:* failed. ');
    expect(text).toContain('(403). `attacks` and `compare` show totals only');
    expect(text).toContain('waf:event:get');
    expect(text).toMatch(/✓ \*Timeline:\* [\d,]+ requests/);
    expect(text.indexOf('✗')).toBeLessThan(text.indexOf('✓'));
  });
});

describe('a service that hangs', () => {
  it('is told by the doctor within 20 seconds, with what is known of the rest', async () => {
    const w = await startScheduledWorld();
    try {
      w.service.hold({ on: ['timeline', 'distribution', 'sources'] });
      const began = w.clock.now();
      await w.slack.command({ text: 'doctor' });
      const doctor = (): Message | undefined => w.slack.messages().find(({ text }) => text.startsWith('Doctor'));
      await passUntil(w, doctor, 'the findings');
      expect(began.until(w.clock.now()).total('seconds')).toBeLessThanOrEqual(21);
      const text = textOf(doctor() as Message);
      expect(text).toContain('✗ *Statistics service:* failed. The statistics service did not answer in time.');
      for (const what of ['Identity service', 'Slack', 'Storage', 'Clock']) expect(text).toContain(`✓ *${what}:*`);
    } finally {
      await w.stop();
    }
  });
});
