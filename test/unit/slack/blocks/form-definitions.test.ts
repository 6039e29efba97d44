import { describe, expect, it } from 'vitest';
import { checkView } from '../../../../playground/slack/index.ts';
import { COMMANDS } from '../../../../src/commands/verbs/index.ts';
import { parseSentence } from '../../../../src/grammar/sentence.ts';
import { digestForm, FORMS, hostForm, settingsForm, watchForm } from '../../../../src/slack/blocks/form-definitions.ts';
import { blockAt, formSentence, formView, hostsField, type ModalForm } from '../../../../src/slack/blocks/form-view.ts';
import { parseSchedule } from '../../../../src/subscriptions/recurrence/parse-schedule.ts';
import { describeRule, parseWatch } from '../../../../src/subscriptions/watch/watch-rule.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ALIASES = [{ name: 'my shop', id: ID, addedBy: 'U1' }];
const written = (form: ModalForm, values: Readonly<Record<string, string>>): string =>
  formSentence(form, (block) => values[block] ?? null);
const read = (text: string) => parseSentence(text, { now: NOW, zone: 'UTC', aliases: ALIASES, commands: COMMANDS });

const SET = { zone: 'Asia/Tokyo', hosts: ['my shop'], privately: true };
/** What each field shows when the form opens. */
const initials = (form: ModalForm, sentence: string): unknown[] =>
  form.blocks({ sentence, userZone: 'Europe/Berlin', settings: SET, projects: [], hosts: [] }).map((block) => {
    if (block.type !== 'input') return null;
    const { element } = block;
    if (element.type === 'static_select') return element.initial_option?.value;
    return element.type === 'plain_text_input' ? element.initial_value : null;
  });

describe('what is set now', () => {
  it('is filled in', () => {
    expect(initials(settingsForm, 'settings')).toEqual(['Asia/Tokyo', '"my shop"', 'private']);
    expect(initials(digestForm, 'digest new')).toEqual(['daily at', '09:00', 'Asia/Tokyo', '"my shop"']);
    expect(initials(watchForm, 'watch new on blog').at(-1)).toBe('blog');
    expect(initials(hostForm, 'hosts add "my blog"')).toEqual(['my blog', undefined]);
    expect(initials(hostForm, 'hosts add')).toEqual([undefined, undefined]);
  });
});

describe('the project', () => {
  const PROJECTS = ['us', 'eu'];
  const chosen = (form: ModalForm, sentence: string): unknown[] =>
    form
      .blocks({ sentence, userZone: null, settings: SET, projects: PROJECTS, hosts: [] })
      .flatMap((block) =>
        block.type === 'input' && block.block_id === 'project' && block.element.type === 'static_select'
          ? [block.element.initial_option?.value]
          : [],
      );

  it('is the one of the button, or that of the channel, and is left out where there is no choice', () => {
    for (const [form, sentence] of [
      [digestForm, 'digest new'],
      [watchForm, 'watch new'],
      [hostForm, 'hosts add'],
      [settingsForm, 'settings'],
    ] as const)
      expect(chosen(form, sentence)).toEqual(['us']);
    expect(chosen(digestForm, 'digest new on "my shop" in project eu')).toEqual(['eu']);
    const blocks = digestForm.blocks({
      sentence: 'digest new',
      userZone: null,
      settings: SET,
      projects: ['eu'],
      hosts: [],
    });
    expect(blocks.map(({ block_id: block }) => block)).not.toContain('project');
  });

  it('is no part of a name', () => {
    expect(initials(digestForm, 'digest new on "my shop" in project eu').at(-1)).toBe('"my shop"');
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
      const view = formView(
        form,
        { sentence: `digest new${on}`, userZone, settings: SET, projects: [], hosts: [] },
        { channel: 'C0SECURITY' },
      );
      expect(checkView(view)).toEqual([]);
    }
  });

  it('can be said without a form', () => {
    expect(() => read(form.example.replace('<domain ID>', ID))).not.toThrow();
  });
});

describe('a digest', () => {
  it.each([
    [{}, 'digest daily at 09:00'],
    [{ rhythm: 'weekdays', time: '8:30', zone: 'Europe/Berlin' }, 'digest weekdays 8:30 in Europe/Berlin'],
    [{ rhythm: 'hourly', time: '09:00', hosts: '"my shop"' }, 'digest hourly on "my shop"'],
    [{ rhythm: 'monthly on the 1st at', time: '07:00' }, 'digest monthly on the 1st at 07:00'],
  ])('%o', (values: Record<string, string>, sentence) => {
    expect(written(digestForm, values)).toBe(sentence);
    const { args, hosts } = read(sentence);
    expect(() => parseSchedule(args.map(({ text }) => text).join(' '), 'UTC')).not.toThrow();
    expect(hosts.map(({ name }) => name)).toEqual('hosts' in values ? ['my shop'] : []);
  });

  it('takes the hosts of the button over', () => {
    const named = { element: { initial_value: 'shop, "my blog"' } };
    expect(hostsField({ sentence: 'digest new on shop, "my blog"', settings: SET, hosts: [] })).toMatchObject(named);
    const empty = hostsField({ sentence: 'digest new', settings: {}, hosts: [] });
    expect(JSON.stringify(empty)).not.toContain('initial_value');
  });
});

describe('hosts that the service lists', () => {
  const field = (hosts: readonly string[], sentence = 'digest new') => {
    const block = hostsField({ sentence, settings: { hosts: ['gone.example.org'] }, hosts });
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
    [{ what: 'anything' }, 'watch', 'anything unusual'],
    [{ what: 'anything', calls: 'quiet' }, 'watch quiet', 'anything unusual'],
    [{ what: 'attacks', over: '500', per: '15m' }, 'watch attacks over 500 per 15m', 'attacks over 500 per 15 minutes'],
    [{ what: 'sqli', over: '2k', per: '1h' }, 'watch sqli over 2k per 1h', 'SQL injection over 2,000 per hour'],
  ])('%o', (values: Record<string, string>, sentence, rule) => {
    const typed = written(watchForm, values);
    expect(typed).toBe(sentence);
    expect(describeRule(parseWatch(typed.replace('watch', '     ')).rule)).toBe(rule);
  });

  it('leaves a missing number for the sentence to refuse', () => {
    const typed = written(watchForm, { what: 'attacks' });
    expect(() => parseWatch(typed.replace('watch', '     '))).toThrow(/isn’t a whole number/);
  });
});
