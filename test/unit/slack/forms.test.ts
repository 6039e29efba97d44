import { describe, expect, it } from 'vitest';
import { checkView } from '../../../playground/slack/index.ts';
import { parseSentence } from '../../../src/commands/grammar/sentence.ts';
import { digestForm } from '../../../src/slack/blocks/forms/digest-form.ts';
import { type Form, hostsField, viewOf } from '../../../src/slack/blocks/forms/form.ts';
import { hostForm } from '../../../src/slack/blocks/forms/host-form.ts';
import { settingsForm } from '../../../src/slack/blocks/forms/settings-form.ts';
import { watchForm } from '../../../src/slack/blocks/forms/watch-form.ts';
import { parseSchedule } from '../../../src/subscriptions/recurrence/parse.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ALIASES = [{ name: 'my shop', id: ID, addedBy: 'U1' }];
const written = (form: Form, values: Readonly<Record<string, string>>): string =>
  form.sentence((block) => values[block] ?? null);
const read = (text: string) => parseSentence(text, { now: NOW, zone: 'UTC', aliases: ALIASES });

describe.each([digestForm, hostForm, settingsForm, watchForm])('the form $title', (form) => {
  it.each(['', ' on "my shop"', ` on "${'<!channel>'.repeat(150)}"`])('is one that Slack opens, from “…%s”', (on) => {
    for (const userZone of ['Europe/Berlin', null]) {
      const view = viewOf(form, { sentence: `digest new${on}`, userZone }, '{}');
      expect(checkView(view)).toEqual([]);
    }
  });

  it('can be said without a form', () => {
    expect(() => read(form.typed.replace('<domain ID>', ID))).not.toThrow();
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
    const { own, hosts } = read(sentence);
    expect(() => parseSchedule(own.map(({ text }) => text).join(' '), 'UTC')).not.toThrow();
    expect(hosts.map(({ name }) => name)).toEqual('hosts' in values ? ['my shop'] : []);
  });

  it('takes the hosts of the button over', () => {
    const named = { element: { initial_value: 'shop, "my blog"' } };
    expect(hostsField('digest new on shop, "my blog"')).toMatchObject(named);
    expect(hostsField('digest new')).not.toHaveProperty('element.initial_value');
  });
});

describe('a host and a setting', () => {
  it('are written as they would be typed', () => {
    expect(written(hostForm, { name: 'my "shop"', id: ID })).toBe(`hosts add "my shop" ${ID}`);
    expect(written(settingsForm, { setting: 'zone', value: 'Asia/Tokyo' })).toBe('settings zone Asia/Tokyo');
    expect(written(settingsForm, { setting: 'private', value: 'ignored' })).toBe('settings private');
  });
});
