/** The forms that buttons open, each as data: when it opens, its fields, and the sentence it writes. */
import { hostsField, type ModalForm, onHosts, selectField, textField } from './form-view.ts';

export const digestForm: ModalForm = {
  callbackId: 'form_digest',
  openedBy: /^digest new\b/,
  example: 'digest daily at 09:00',
  title: 'New digest',
  submit: 'Make it',
  errorBlock: 'time',
  blocks: ({ userZone, sentence }) => [
    selectField('rhythm', 'How often', [
      { text: 'Every day', value: 'daily at' },
      { text: 'Working days', value: 'weekdays' },
      { text: 'Mondays', value: 'mondays' },
      { text: 'First of the month', value: 'monthly on the 1st at' },
      { text: 'Every hour', value: 'hourly' },
      { text: 'Every 4 hours', value: 'every 4 hours' },
    ]),
    textField({
      block: 'time',
      label: 'At',
      initial: '09:00',
      optional: true,
      hint: 'Such as 09:00; hourly ones need none',
    }),
    textField({
      block: 'zone',
      label: 'Time zone',
      initial: userZone ?? undefined,
      optional: true,
      placeholder: 'Europe/Berlin',
    }),
    hostsField(sentence),
  ],
  sentence(value) {
    const frequency = value('rhythm') ?? 'daily at';
    const hasTimeOfDay = !/^(hourly|every )/.test(frequency);
    return joinWords([
      'digest',
      frequency,
      hasTimeOfDay ? (value('time') ?? '09:00') : '',
      onHosts(value),
      value('zone') ? `in ${value('zone')}` : '',
    ]);
  },
};

const ANYTHING = 'anything';

export const watchForm: ModalForm = {
  callbackId: 'form_watch',
  openedBy: /^watch new\b/,
  example: 'watch',
  title: 'New watch',
  submit: 'Watch',
  errorBlock: 'over',
  blocks: ({ sentence }) => [
    selectField('what', 'Look out for', [
      { text: 'Anything that is not normal', value: ANYTHING },
      { text: 'Attacks over a number', value: 'attacks' },
      { text: 'Requests over a number', value: 'requests' },
      { text: 'SQL injection over a number', value: 'sqli' },
      { text: 'XSS over a number', value: 'xss' },
      { text: 'CC attacks over a number', value: 'cc' },
      { text: 'Malicious crawlers over a number', value: 'robot' },
    ]),
    textField({ block: 'over', label: 'Number', optional: true, placeholder: '500', hint: 'Needed for a number only' }),
    textField({ block: 'per', label: 'Per', optional: true, initial: '15m', hint: 'Such as 15m or 2h' }),
    hostsField(sentence),
  ],
  sentence(value) {
    const what = value('what') ?? ANYTHING;
    const limit = what === ANYTHING ? '' : `${what} over ${value('over') ?? '?'} per ${value('per') ?? '15m'}`;
    return joinWords(['watch', limit, onHosts(value)]);
  },
};

export const hostForm: ModalForm = {
  callbackId: 'form_host',
  openedBy: /^hosts add\b/,
  example: 'hosts add shop <domain ID>',
  title: 'Add a host',
  submit: 'Add',
  errorBlock: 'id',
  blocks: () => [
    textField({ block: 'name', label: 'Name', placeholder: 'shop', hint: 'What people will say: on shop' }),
    textField({ block: 'id', label: 'Domain ID', hint: 'As the console of the firewall shows it' }),
  ],
  sentence: (value) => `hosts add "${(value('name') ?? '').replaceAll('"', '')}" ${value('id') ?? ''}`,
};

/** One setting at a time, since each change is one sentence. */
export const settingsForm: ModalForm = {
  callbackId: 'form_settings',
  openedBy: /^settings\b/,
  example: 'settings zone Europe/Berlin',
  title: 'Channel settings',
  submit: 'Save',
  errorBlock: 'value',
  blocks: ({ userZone }) => [
    selectField('setting', 'What to change', [
      { text: 'Time zone', value: 'zone' },
      { text: 'Default hosts', value: 'hosts' },
      { text: 'Answers public, in the channel', value: 'public' },
      { text: 'Answers private, for the asker', value: 'private' },
      { text: 'Back to the defaults', value: 'reset' },
    ]),
    textField({
      block: 'value',
      label: 'Zone or hosts',
      optional: true,
      placeholder: userZone ?? 'Europe/Berlin',
      hint: 'A zone such as Europe/Berlin, or host names with commas; “none” takes it away',
    }),
  ],
  sentence(value) {
    const setting = value('setting') ?? '';
    return ['zone', 'hosts'].includes(setting) ? `settings ${setting} ${value('value') ?? ''}` : `settings ${setting}`;
  },
};

export const FORMS: readonly ModalForm[] = [digestForm, watchForm, hostForm, settingsForm];

const joinWords = (words: readonly string[]): string => words.filter((word) => word !== '').join(' ');
