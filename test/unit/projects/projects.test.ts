/** Sentences that name a project, on two projects whose numbers tell which of them was asked. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChannelSettings } from '../../../src/commands/channel-records.ts';
import { type Commands, createCommands, type Reply } from '../../../src/commands/index.ts';
import { rememberIgnored } from '../../../src/episodes/ignored.ts';
import { createLastVerdicts } from '../../../src/episodes/last-verdicts.ts';
import { recordedStatistics } from '../../../src/episodes/recorded-statistics.ts';
import { BotError, UsageError } from '../../../src/errors.ts';
import type { HostAlias } from '../../../src/grammar/hosts.ts';
import type { Policy } from '../../../src/projects/permissions.ts';
import type { Project } from '../../../src/projects/project.ts';
import { plainText, subjectWords } from '../../../src/replies/phrases.ts';
import type { StatisticsQuery } from '../../../src/statistics/statistics.ts';
import { NO_DIGESTS, NO_WATCHES } from '../../../src/subscriptions/none.ts';
import { episodeLog } from '../../support/episodes.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const MINUTE_MS = 60_000;
const DAYS = 30;
const EU_SHOP = '3ac26c59e15a4a11bb680a103a29ddb6';
const US_SHOP = '9bd26c59e15a4a11bb680a103a29ddb6';
const US_BLOG = '7cd26c59e15a4a11bb680a103a29ddb6';

function space<T>(entries: readonly (readonly [string, T])[] = []) {
  const records = new Map<string, T>(entries);
  return {
    get: async (key: string) => records.get(key),
    set: async (key: string, value: T) => void records.set(key, value),
    delete: async (key: string) => void records.delete(key),
    entries: async () => [...records],
  };
}

const aliases = (...names: [string, string][]) =>
  space<HostAlias>(names.map(([name, id]) => [name, { name, id, addedBy: 'U1' }]));

/** `attacks` in every five minutes. */
function project(name: string, attacks: number, hosts: Project['hosts'], more: Partial<Project> = {}) {
  const length = (DAYS * 24 * 60) / 5;
  const column = (value: number): number[] => new Array<number>(length).fill(value);
  const recorded = recordedStatistics({
    startMs: NOW.epochMilliseconds - DAYS * 86_400_000,
    intervalMs: 5 * MINUTE_MS,
    requests: column(1_000),
    attacks: column(attacks),
    categories: { sqli: column(attacks) },
  })(NOW.epochMilliseconds);
  const asked: StatisticsQuery[] = [];
  const statistics: Project['statistics'] = {
    timeline(query) {
      asked.push(query);
      return recorded.timeline(query);
    },
    distribution: (query) => recorded.distribution(query),
  };
  const made: Project = {
    name,
    label: name,
    storedAs: name === 'eu' ? null : name,
    allowedChannels: null,
    statistics,
    episodes: episodeLog(recorded, () => NOW),
    hosts,
    lastVerdicts: createLastVerdicts(),
    ignored: rememberIgnored(),
    ...more,
  };
  return { project: made, asked };
}

const ALL: Policy = { allowedChannels: null, admins: null };

function stage({ policy = ALL, usChannels = null as readonly string[] | null, settings = {} as ChannelSettings } = {}) {
  const eu = project('eu', 10, aliases(['shop', EU_SHOP]));
  const us = project('us', 20, aliases(['shop', US_SHOP], ['my blog', US_BLOG]), { allowedChannels: usChannels });
  const stored = space<ChannelSettings>(Object.keys(settings).length === 0 ? [] : [['C1', settings]]);
  const commands = createCommands({
    projects: [eu.project, us.project],
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    settings: stored,
    digests: NO_DIGESTS,
    watches: NO_WATCHES,
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    policy,
    now: () => NOW,
    zone: 'UTC',
    command: '/waf',
  });
  return { commands, eu, us, stored };
}

const ask = (commands: Commands, text: string, channel = 'C1'): Promise<Reply> =>
  commands.answer({ text, user: 'U1', channel, userZone: null });

async function refusal(commands: Commands, text: string, channel = 'C1'): Promise<BotError> {
  const error = await ask(commands, text, channel).catch((thrown: unknown) => thrown);
  if (error instanceof BotError) return error;
  throw new Error(`“${text}” was answered`);
}

describe('a sentence', () => {
  it.each<[sentence: string, project: 'eu' | 'us', hosts: readonly string[]]>([
    ['timeline last 6h', 'eu', []],
    ['timeline last 6h in project us', 'us', []],
    ['timeline in project us last 6h', 'us', []],
    ['timeline last 6h in project US', 'us', []],
    ['timeline last 6h project us', 'us', []],
    ['timeline last 6h for project us', 'us', []],
    ['timeline last 6h in the us project', 'us', []],
    ['attacks on project us last 6h', 'us', []],
    ['last 6h in project us', 'us', []],
    ['is everything ok in project us?', 'us', []],
    ['is project us under attack?', 'us', []],
    ['what is going on in project us', 'us', []],
    ['is the project ok?', 'eu', []],
    ['is everything ok with our project?', 'eu', []],
    ['check in project us', 'us', []],
    ['status in project us', 'us', []],
    ['incident last 3h in project us', 'us', []],
    ['sqli last 6h in project us', 'us', []],
    ['timeline last 6h in UTC in project us privately', 'us', []],
    ['timeline last 6h on shop', 'eu', [EU_SHOP]],
    ['timeline last 6h on shop@us', 'us', [US_SHOP]],
    ['timeline last 6h on shop@eu', 'eu', [EU_SHOP]],
    ['is shop@us ok?', 'us', [US_SHOP]],
    ['is everything ok on shop@us?', 'us', [US_SHOP]],
    ['timeline on "my blog"@us last 6h', 'us', [US_BLOG]],
    ['timeline last 6h on shop@us, "my blog"', 'us', [US_SHOP, US_BLOG]],
    ['timeline last 6h on shop@us and "my blog"@us', 'us', [US_SHOP, US_BLOG]],
    ['timeline last 6h on shop in project us', 'us', [US_SHOP]],
  ])('%s is about project %s', async (sentence, name, hosts) => {
    const { commands, eu, us } = stage();
    const { subject, chart, actions = [] } = await ask(commands, sentence);
    const [asked, other] = name === 'eu' ? [eu, us] : [us, eu];
    expect(other.asked).toEqual([]);
    expect(asked.asked.length).toBeGreaterThan(0);
    expect(asked.asked[0]?.hosts.toSorted()).toEqual(hosts.toSorted());
    expect(subject?.project).toBe(name);
    expect(subject === undefined ? '' : subjectWords(subject)).toMatch(new RegExp(`^project ${name} · `));
    expect(chart?.project).toBe(name);
    // Whatever is pressed asks about the same project, and is understood.
    for (const { sentence: next, effect } of actions.filter((action) => action.effect !== 'modal')) {
      if (/^(watch|hosts|doctor)/.test(next)) continue;
      expect(next, effect).toContain(`in project ${name}`);
      expect((await ask(commands, next)).subject?.project).toBe(name);
    }
    expect(other.asked).toEqual([]);
  });

  it('has its files of that project', async () => {
    const { commands } = stage();
    const { attachments = [] } = await ask(commands, 'incident last 3h in project us');
    expect(attachments.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^waf-timeline-us-2026/),
      expect.stringMatching(/^waf-attacks-us-2026/),
    ]);
    for (const { content } of attachments) {
      const [head, ...rows] = content.trim().split('\r\n');
      expect(head?.endsWith(',project')).toBe(true);
      expect(rows.every((row) => row.endsWith(',us'))).toBe(true);
    }
  });
});

describe('a name that is none', () => {
  it.each([
    ['timeline last 6h in project ue', 'ue', ['Project eu', 'Project us']],
    ['timeline last 6h in project uss', 'uss', 'timeline last 6h in project us'],
    ['check on shop@uss', 'uss', 'check on shop@us'],
    ['is project uss ok?', 'uss', 'is project us ok?'],
    ['timeline last 6h in project asia privately', 'asia', ['Project eu', 'Project us']],
  ])('%s is refused with what may be meant', async (sentence, word, meant) => {
    const { commands, eu, us } = stage();
    const error = await refusal(commands, sentence);
    if (!(error instanceof UsageError)) throw error;
    expect(error.message).toBe(`There's no project “${word}” here.`);
    expect(sentence.slice(error.span?.start, error.span?.end)).toBe(word);
    if (typeof meant === 'string') expect(error.corrected).toBe(meant);
    else expect(error.next.map(({ label }) => label)).toEqual(meant);
    for (const { sentence: next } of error.next) expect((await ask(commands, next)).subject?.project).toBeDefined();
    expect([...eu.asked, ...us.asked].every(({ hosts }) => hosts.length === 0)).toBe(true);
  });

  it('is asked for where it is left out', async () => {
    expect((await refusal(stage().commands, 'check in project')).message).toBe('Which project?');
  });

  it('is a time where no host would stand', async () => {
    const error = await refusal(stage().commands, 'timeline friday@noon');
    expect(error.message).not.toContain('project');
  });

  it('two at once are refused, with how they are compared', async () => {
    const { commands } = stage();
    const error = await refusal(commands, 'timeline last 6h on shop@eu in project us');
    expect(error).toMatchObject({ example: 'compare last 24h in project eu vs project us' });
  });
});

describe('a host', () => {
  it('that the project does not know, but another does, is offered there', async () => {
    const { commands } = stage();
    const error = await refusal(commands, 'timeline last 6h on "my blog"@eu');
    expect(error.message).toBe("There's no host “my blog” in project eu.");
    expect(error.next[0]).toEqual({
      label: 'In project us',
      sentence: 'timeline last 6h on "my blog" in project us',
    });
    expect(error.next[1]?.sentence).toBe('hosts add "my blog" in project eu');
    expect((await ask(commands, error.next[0]?.sentence ?? '')).subject?.hosts).toEqual([
      { name: 'my blog', id: US_BLOG },
    ]);
  });

  it('is added to one project alone', async () => {
    const { commands, eu, us } = stage();
    const { notes, actions } = await ask(commands, `hosts add api ${EU_SHOP} in project us`);
    expect(JSON.stringify(notes)).toContain('us');
    expect(actions?.[0]?.sentence).toBe('timeline last 24h on api in project us');
    expect((await us.project.hosts.entries()).map(([name]) => name)).toContain('api');
    expect((await eu.project.hosts.entries()).map(([name]) => name)).toEqual(['shop']);
  });

  it('keeps the caret in its place', async () => {
    const sentence = 'timeline last 6h in project us on shpo';
    const error = await refusal(stage().commands, sentence);
    if (!(error instanceof UsageError)) throw error;
    expect(error.text).toBe(sentence);
    expect(sentence.slice(error.span?.start, error.span?.end)).toBe('shpo');
    expect(error.corrected).toBe('timeline last 6h on shop in project us');
  });
});

describe("a channel's own project", () => {
  it('is asked about when nobody names one, with its own default hosts', async () => {
    const { commands, eu, us } = stage({ settings: { project: 'us', hosts: ['my blog'] } });
    expect((await ask(commands, 'timeline last 6h')).subject).toMatchObject({
      project: 'us',
      hosts: [{ id: US_BLOG }],
    });
    expect(eu.asked).toEqual([]);
    us.asked.length = 0;
    expect((await ask(commands, 'timeline last 6h in project eu')).subject).toMatchObject({ project: 'eu', hosts: [] });
    expect(us.asked).toEqual([]);
  });

  it('is set, shown and taken back', async () => {
    const { commands, stored } = stage({ settings: { hosts: ['shop'], zone: 'UTC' } });
    const reply = await ask(commands, 'settings project us');
    // Names of hosts are those of a project.
    expect(await stored.get('C1')).toEqual({ project: 'us', zone: 'UTC' });
    expect(JSON.stringify(reply.body)).toContain('us; eu with “in project eu”');
    await ask(commands, 'settings project us hosts "my blog" private');
    expect(await stored.get('C1')).toEqual({ project: 'us', zone: 'UTC', hosts: ['my blog'], privately: true });
    await ask(commands, 'settings project none');
    expect(await stored.get('C1')).toEqual({ zone: 'UTC', privately: true });
    expect((await refusal(commands, 'settings project uss')).message).toContain('uss');
    expect((await refusal(commands, 'settings project eu hosts "my blog"')).message).toContain('in project eu');
  });

  it('that is gone is told, and can be changed', async () => {
    const { commands } = stage({ settings: { project: 'asia' } });
    const error = await refusal(commands, 'check');
    expect(error.message).toContain('“asia”');
    expect(error.next.map(({ sentence }) => sentence)).toEqual([
      'settings',
      'check in project eu',
      'check in project us',
    ]);
    expect((await ask(commands, 'check in project eu')).subject?.project).toBe('eu');
    expect((await ask(commands, 'settings project eu')).title).toBe('Settings changed');
  });
});

describe('a project for some channels', () => {
  it('is refused elsewhere, with where it can be asked about and what can be asked here', async () => {
    const { commands, us } = stage({ usChannels: ['C2'], policy: { allowedChannels: null, admins: ['UADMIN'] } });
    const error = await refusal(commands, 'timeline last 6h in project us');
    expect(error).toMatchObject({ code: 'forbidden', people: ['UADMIN'], channels: ['C2'] });
    expect(error.message).toBe("Project us can't be used in this channel.");
    expect(error.next).toEqual([{ label: 'In project eu', sentence: 'timeline last 6h in project eu' }]);
    expect((await refusal(commands, 'compare last 6h vs project us')).code).toBe('forbidden');
    expect((await refusal(commands, 'check on "my blog"')).next.some(({ label }) => label.includes('us'))).toBe(false);
    expect((await refusal(commands, 'check in project ux')).hint).toBe('Known projects: eu.');
    const { commands: everyones } = stage({ usChannels: ['C2'] });
    expect((await refusal(everyones, 'settings project us')).message).toBe("There's no project “us” here.");
    expect(us.asked).toEqual([]);
    expect((await ask(commands, 'timeline last 6h in project us', 'C2')).subject?.project).toBe('us');
    expect((await commands.formChoices({ text: 'digest', channel: 'C1', user: 'U1' })).projects).toEqual(['eu']);
    const admin = await commands.answer({ text: 'check in project us', user: 'UADMIN', channel: 'C1', userZone: null });
    expect(admin.subject?.project).toBe('us');
  });

  it('is the one asked about where the default is not allowed', async () => {
    const eu = project('eu', 10, aliases(), { allowedChannels: ['C9'] });
    const us = project('us', 20, aliases());
    const { commands: _, ...rest } = stage();
    const commands = createCommands({
      projects: [eu.project, us.project],
      joinChannel: async () => ({ is: 'member' }),
      findMentioned: async () => ({ nearest: [], groups: 'listed' }),
      settings: rest.stored,
      digests: NO_DIGESTS,
      watches: NO_WATCHES,
      doctor: { examine: async () => [] },
      assertPostable: async () => {},
      policy: ALL,
      now: () => NOW,
      zone: 'UTC',
      command: '/waf',
    });
    expect((await ask(commands, 'timeline last 6h')).subject?.project).toBe('us');
    expect((await ask(commands, 'timeline last 6h', 'C9')).subject?.project).toBe('eu');
  });
});

describe('two projects', () => {
  it.each([
    ['compare last 6h vs project us', [], []],
    ['compare last 6h in project eu vs project us', [], []],
    ['compare last 6h against project us', [], []],
    ['compare last 6h with project us', [], []],
    ['compare last 6h compared to the us project', [], []],
    ['compare last 6h on shop vs project us', [EU_SHOP], [US_SHOP]],
    ['compare last 6h on shop vs shop@us', [EU_SHOP], [US_SHOP]],
    ['compare last 6h on shop@eu vs "my blog"@us', [EU_SHOP], [US_BLOG]],
  ])('%s takes the same window in both', async (sentence, here, there) => {
    const { commands, eu, us } = stage();
    const reply = await ask(commands, sentence);
    expect(eu.asked.map(({ range, hosts }) => [String(range.from), String(range.to), hosts])).toEqual([
      [String(us.asked[0]?.range.from), String(us.asked[0]?.range.to), here],
    ]);
    expect(us.asked.map(({ hosts }) => hosts)).toEqual([there]);
    expect(reply.title).toMatch(/^Attacks −50 %, requests .* · vs project us$/);
    expect(JSON.stringify(reply.body)).toContain('Fewer: ');
    expect(plainText(reply.headline)).toMatch(/^Attacks: eu ([\d,]+), us ([\d,]+)\. Requests: eu ([\d,]+), us \3\.$/);
    expect(reply.why?.table?.columns.map(({ name }) => name).slice(1)).toEqual(['eu', 'us', 'Difference']);
    expect(reply.chart).toMatchObject({ project: 'eu', previousName: 'project us' });
    const again = reply.actions?.find(({ label }) => label === 'All numbers')?.sentence ?? '';
    expect(again).toContain('in project eu vs project us');
    expect((await ask(commands, again.replace(' why', ''))).title).toBe(reply.title);
    const file = (await ask(commands, `${again.replace(' why', '')} csv`)).attachments?.[0]?.content ?? '';
    expect(file.split('\r\n')[0]).toBe('window_start,window_end,zone,category,name,events,events_in_us,project');
  });

  it.each([
    ['compare last 6h on "my blog" in project us vs project eu', /no host .* in project eu/],
    [`compare last 6h on ${EU_SHOP} vs project us`, /A domain ID belongs to one project/],
    ['compare last 6h vs previous vs project us', /name only one/],
    ['compare last 6h in project us vs project us', /two different projects/],
    ['digest daily at 9:00 vs project us', /side by side, use compare/],
  ])('%s is refused', async (sentence, message) => {
    expect((await refusal(stage().commands, sentence)).message).toMatch(message);
  });

  it('are compared with compare', async () => {
    const { commands } = stage();
    const error = await refusal(commands, 'timeline last 6h vs project us');
    if (!(error instanceof UsageError)) throw error;
    expect(error.corrected).toBe('compare last 6h vs project us');
    expect((await ask(commands, error.corrected ?? '')).title).toContain('vs project us');
  });
});

describe('one project alone', () => {
  let commands: Commands;
  beforeEach(() => {
    const { project: only } = project('eu', 10, aliases(['shop', EU_SHOP]), { label: null });
    commands = createCommands({
      projects: [{ ...only, name: '' }],
      joinChannel: async () => ({ is: 'member' }),
      findMentioned: async () => ({ nearest: [], groups: 'listed' }),
      settings: space(),
      digests: NO_DIGESTS,
      watches: NO_WATCHES,
      doctor: { examine: async () => [] },
      assertPostable: async () => {},
      policy: ALL,
      now: () => NOW,
      zone: 'UTC',
      command: '/waf',
    });
  });

  it('is named nowhere', async () => {
    for (const text of ['timeline last 6h', 'check', 'hosts', 'help', 'settings']) {
      expect(JSON.stringify(await ask(commands, text))).not.toMatch(/in project|"project"|Project: /);
    }
    expect((await commands.formChoices({ text: 'digest', channel: 'C1', user: 'U1' })).projects).toEqual([]);
    expect((await refusal(commands, 'settings project eu')).message).toBe('This bot has only one project.');
  });
});
