import { describe, expect, it } from 'vitest';
import { checkView } from '../../../../playground/slack/index.ts';
import { COMMANDS } from '../../../../src/commands/verbs/index.ts';
import { parseSentence } from '../../../../src/grammar/sentence.ts';
import { digestForm, FORMS, hostForm, settingsForm } from '../../../../src/slack/blocks/form-definitions.ts';
import {
  blockAt,
  EDITED,
  type FormContext,
  formOrigin,
  formSentence,
  formView,
  hostsField,
  type ModalForm,
  updatedView,
} from '../../../../src/slack/blocks/form-view.ts';
import { watchForm } from '../../../../src/slack/blocks/watch-form.ts';
import { parseSchedule } from '../../../../src/subscriptions/recurrence/parse-schedule.ts';
import { describeRule, parseWatch } from '../../../../src/subscriptions/watch/watch-rule.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ALIASES = [{ name: 'my shop', id: ID, addedBy: 'U1' }];
const written = (form: ModalForm, values: Readonly<Record<string, string>>): string =>
  formSentence(form, (block) => values[block] ?? null);
const read = (text: string) => parseSentence(text, { now: NOW, zone: 'UTC', aliases: ALIASES, commands: COMMANDS });

const SET = { zone: 'Asia/Tokyo', hosts: ['my shop'], privately: true };
const CONTEXT: FormContext = {
  sentence: '',
  userZone: 'Europe/Berlin',
  settings: SET,
  projects: [],
  hosts: [],
  current: {},
  ignored: [],
  runbooks: null,
};
const opened = (form: ModalForm, context: Partial<FormContext>) =>
  formView(form, { ...CONTEXT, ...context }, { channel: 'C0SECURITY' });
/** What each field shows when the form opens, by its block. */
const shown = (form: ModalForm, context: Partial<FormContext>): Record<string, unknown> =>
  Object.fromEntries(
    opened(form, context).blocks.map((block) => {
      if (!('element' in block) || block.type !== 'input') throw new Error('no input');
      const { element } = block;
      const initial =
        element.type === 'static_select'
          ? element.initial_option?.value
          : element.type === 'plain_text_input'
            ? element.initial_value
            : null;
      return [block.block_id, initial];
    }),
  );
const initials = (form: ModalForm, sentence: string): unknown[] => Object.values(shown(form, { sentence }));

describe('what is set now', () => {
  it('is filled in', () => {
    expect(initials(settingsForm, 'settings')).toEqual(['Asia/Tokyo', '"my shop"', 'private']);
    expect(initials(digestForm, 'digest new')).toEqual(['summary', 'daily at', '09:00', '"my shop"', 'Asia/Tokyo']);
    expect(shown(watchForm, { sentence: 'watch new on blog' })).toHaveProperty('hosts', 'blog');
    expect(initials(hostForm, 'hosts add "my blog"')).toEqual(['my blog', undefined]);
    expect(initials(hostForm, 'hosts add')).toEqual([undefined, undefined]);
  });
});

describe('the project', () => {
  const PROJECTS = ['us', 'eu'];
  const chosen = (form: ModalForm, sentence: string): unknown => shown(form, { sentence, projects: PROJECTS }).project;

  it('is the one of the button, or that of the channel, and is left out where there is no choice', () => {
    for (const [form, sentence] of [
      [digestForm, 'digest new'],
      [watchForm, 'watch new'],
      [hostForm, 'hosts add'],
      [settingsForm, 'settings'],
    ] as const)
      expect(chosen(form, sentence)).toBe('us');
    expect(chosen(digestForm, 'digest new on "my shop" in project eu')).toBe('eu');
    expect(shown(digestForm, { sentence: 'digest new', projects: ['eu'] })).not.toHaveProperty('project');
  });

  it('is no part of a name', () => {
    expect(shown(digestForm, { sentence: 'digest new on "my shop" in project eu' })).toHaveProperty(
      'hosts',
      '"my shop"',
    );
    expect(initials(hostForm, 'hosts add "my blog" in project eu')).toEqual(['my blog', undefined]);
    expect(initials(hostForm, 'hosts add in project eu')).toEqual([undefined, undefined]);
    expect(written(hostForm, { name: 'my blog', id: ID, project: 'eu' })).toBe(
      `hosts add "my blog" ${ID} in project eu`,
    );
    expect(written(settingsForm, { project: 'eu', answers: 'public' })).toBe(
      'settings zone none project eu hosts none public',
    );
  });
});

describe('a fault', () => {
  it('is shown at the field whose words it is in', () => {
    const values: Record<string, string> = { zone: 'Nowhere', hosts: 'shpo', answers: 'private' };
    const value = (block: string): string | null => values[block] ?? null;
    const sentence = formSentence(settingsForm, value);
    for (const [words, block] of [
      ['Nowhere', 'zone'],
      ['shpo', 'hosts'],
      ['private', 'answers'],
    ] as const)
      expect(blockAt(settingsForm, value, sentence.indexOf(words))).toBe(block);
    expect(blockAt(settingsForm, value, 1_000)).toBe('zone');
  });
});

describe.each(FORMS)('the form $title', (form) => {
  it.each(['', ' on "my shop"', ` on "${'<!channel>'.repeat(150)}"`])('is one that Slack opens, from “…%s”', (on) => {
    for (const userZone of ['Europe/Berlin', null]) {
      expect(checkView(opened(form, { sentence: `digest new${on}`, userZone }))).toEqual([]);
    }
  });

  it('can be said without a form', () => {
    expect(() => read(form.example.replace('<domain ID>', ID))).not.toThrow();
  });
});

describe('a digest', () => {
  it.each([
    [{}, 'digest daily at 09:00 on all hosts'],
    [{ rhythm: 'weekdays', time: '8:30', zone: 'Europe/Berlin' }, 'digest weekdays 8:30 on all hosts in Europe/Berlin'],
    [{ rhythm: 'hourly', time: '09:00', hosts: '"my shop"' }, 'digest hourly on "my shop"'],
    [{ rhythm: 'monthly on the 1st at', time: '07:00' }, 'digest monthly on the 1st at 07:00 on all hosts'],
  ])('%o', (values: Record<string, string>, sentence) => {
    expect(written(digestForm, values)).toBe(sentence);
    const { args, hosts } = read(sentence);
    expect(() => parseSchedule(args.map(({ text }) => text).join(' '), 'UTC')).not.toThrow();
    expect(hosts.map(({ name }) => name)).toEqual('hosts' in values ? ['my shop'] : []);
  });

  it('takes the hosts of the button over', () => {
    const named = { element: { initial_value: 'shop, "my blog"' } };
    expect(
      hostsField({ sentence: 'digest new on shop, "my blog"', settings: SET, hosts: [], current: {} }),
    ).toMatchObject(named);
    const empty = hostsField({ sentence: 'digest new', settings: {}, hosts: [], current: {} });
    expect(JSON.stringify(empty)).not.toContain('initial_value');
  });
});

describe('hosts that the service lists', () => {
  const field = (hosts: readonly string[], sentence = 'digest new') => {
    const block = hostsField({ sentence, settings: { hosts: ['gone.example.org'] }, hosts, current: {} });
    return block.type === 'input' ? block.element : undefined;
  };
  const many = (count: number) => Array.from({ length: count }, (_, at) => `site${at}.example.org`);

  it('are chosen from a menu, with those that are set already, known or not', () => {
    expect(field(['my blog', 'shop.example.org'])).toMatchObject({
      type: 'multi_static_select',
      options: ['gone.example.org', '"my blog"', 'shop.example.org'].map((value) => ({ value })),
      initial_options: [{ value: 'gone.example.org' }],
    });
    expect(field(['"my blog"', 'shop.example.org'], 'digest new on "my blog", shop.example.org')).toMatchObject({
      initial_options: [{ value: '"my blog"' }, { value: 'shop.example.org' }],
    });
  });

  it.each([
    ['more than a form takes', many(5_000)],
    ['a name that is too long for one', ['x'.repeat(80)]],
  ])('%s: they are typed', (_, hosts) => {
    expect(field(hosts)).toMatchObject({ type: 'plain_text_input', initial_value: 'gone.example.org' });
  });

  it('are in groups of a hundred by the alphabet where they are more than a menu takes without', () => {
    expect(field(many(99))).toHaveProperty('options.length', 100);
    const element = field(many(1_000));
    if (element?.type !== 'multi_static_select') throw new Error('no menu');
    const groups = element.option_groups ?? [];
    expect(groups.map(({ options }) => options.length)).toEqual([...Array.from({ length: 10 }, () => 100), 1]);
    expect(groups[0]?.label.text).toBe('gone.example.org – site187.example.org');
    expect(new Set(groups.flatMap(({ options }) => options.map(({ value }) => value))).size).toBe(1_001);
    expect(element).toMatchObject({ initial_options: [{ value: 'gone.example.org' }] });
    // Slack refuses a form of 250,000 characters.
    expect(JSON.stringify(element).length).toBeLessThan(225_000);
  });
});

describe('a host and a setting', () => {
  it('are written as they would be typed', () => {
    expect(written(hostForm, { name: 'my "shop"', id: ID })).toBe(`hosts add "my shop" ${ID}`);
    expect(written(settingsForm, { zone: 'Asia/Tokyo', hosts: '"my shop"', answers: 'private' })).toBe(
      'settings zone Asia/Tokyo hosts "my shop" private',
    );
    expect(written(settingsForm, { answers: 'public' })).toBe('settings zone none hosts none public');
  });

  it('of a form that was opened by the version before change nothing', () => {
    const sentence = written(settingsForm, { setting: 'reset' });
    expect(read(sentence)).toMatchObject({ verb: 'settings', subCommand: 'list' });
  });
});

describe('a watch', () => {
  it.each([
    [{ what: 'anything' }, 'watch on all hosts', 'anything unusual'],
    [{ what: 'anything', calls: 'quiet', every: '10m' }, 'watch quiet on all hosts every 10m', 'anything unusual'],
    [
      { what: 'attacks', over: '500', per: '15m', calls: 'quiet' },
      'watch attacks over 500 per 15m on all hosts',
      'attacks over 500 per 15 minutes',
    ],
    [
      { what: 'anything', calls: 'quiet', quiet: 'weekdays 22:00-06:00; weekends 20-10' },
      'watch quiet on all hosts quiet hours weekdays 22:00-06:00; weekends 20-10',
      'anything unusual',
    ],
    [
      { what: 'sqli', over: '2k', per: '1h', hosts: '"my shop"' },
      'watch sqli over 2k per 1h on "my shop"',
      'SQL injection over 2,000 per hour',
    ],
  ])('%o', (values: Record<string, string>, sentence, rule) => {
    const typed = written(watchForm, values);
    expect(typed).toBe(sentence);
    const { args, hosts, allHosts } = read(typed);
    expect(describeRule(parseWatch(args.map(({ text }) => text).join(' ')).rule)).toBe(rule);
    expect(allHosts ? 'all' : hosts[0]?.name).toBe('hosts' in values ? 'my shop' : 'all');
  });

  it('leaves a missing number for the sentence to refuse', () => {
    const typed = written(watchForm, { what: 'attacks' });
    expect(() => parseWatch(typed.replace('watch', '     ').replace('on all hosts', ''))).toThrow(
      /isn’t a whole number/,
    );
  });
});

describe('a form that edits', () => {
  it('is filled in with what is set, also with what a new one does not offer', () => {
    const watch = { what: 'webshell', over: '5', per: '30m', every: '7m', hosts: '', [EDITED]: 'k3fq7a' };
    const view = opened(watchForm, { current: watch, sentence: 'watch edit k3fq7a' });
    expect(checkView(view)).toEqual([]);
    expect(view).toMatchObject({ title: { text: 'Edit watch' }, submit: { text: 'Save' } });
    const { [EDITED]: _, hosts: __, ...fields } = watch;
    // All hosts, although the channel prefers some.
    expect(shown(watchForm, { current: watch })).toEqual({
      ...fields,
      hosts: undefined,
      mention_from: 'nobody',
      escalate_after: 'never',
    });
    const digest = {
      content: 'summary',
      rhythm: 'mondays and thursdays',
      time: '09:00 and 13:00',
      zone: 'Asia/Tokyo',
      hosts: 'blog',
    };
    expect(shown(digestForm, { current: digest })).toEqual(digest);
  });

  it('says which one it changes, and in which project its hosts are', () => {
    const values = { [EDITED]: 'k3fq7a', what: 'anything', calls: 'normal', every: '5m', project: 'eu' };
    expect(written(watchForm, values)).toBe(
      'watch edit k3fq7a anything normal on all hosts in project eu every 5m quiet hours none',
    );
    expect(written(digestForm, { [EDITED]: 'k3fq7a', rhythm: 'hourly', time: '09:00', hosts: '"my shop"' })).toBe(
      'digest edit k3fq7a hourly on "my shop"',
    );
  });
});

describe('fields that do not apply', () => {
  const blocksOf = (view: ReturnType<typeof opened>) => view.blocks.map(({ block_id: block }) => block);
  const choose = (view: ReturnType<typeof opened>, chosen: Record<string, string>) => {
    const origin = formOrigin(view.private_metadata ?? '');
    const entered = (block: string): string | null => chosen[block] ?? origin.values?.[block] ?? null;
    return updatedView(watchForm, origin, { blocks: view.blocks, value: entered });
  };

  const OTHERS = ['quiet', 'maintenance', 'mention_from', 'escalate_after'];

  it('are hidden, and come back with what was entered', () => {
    const first = opened(watchForm, { sentence: 'watch new' });
    expect(blocksOf(first)).toEqual(['what', 'calls', 'hosts', 'every', ...OTHERS, 'ignore']);
    const threshold = choose(first, { what: 'attacks', calls: 'quiet' });
    expect(checkView(threshold)).toEqual([]);
    expect(blocksOf(threshold)).toEqual(['what', 'over', 'per', 'hosts', 'every', ...OTHERS]);
    const again = choose(threshold, { what: 'anything', over: '700', per: '2h' });
    expect(blocksOf(again)).toEqual(blocksOf(first));
    expect(again.blocks[1]).toMatchObject({ element: { initial_option: { value: 'quiet' } } });
    const back = choose(again, { what: 'requests' });
    expect(back.blocks.slice(1, 3)).toMatchObject([
      { element: { initial_value: '700' } },
      { element: { initial_value: '2h' } },
    ]);
  });
});
