/** The forms that buttons open, each as data: which buttons open it, its fields, and the sentence it writes. */
import { capitalized } from '../../statistics/format.ts';
import {
  CHANNEL_FIELD,
  EDITED,
  type FormField,
  type FormValues,
  HOSTS_FIELD,
  hostsField,
  type ModalForm,
  PROJECT_FIELD,
  projectField,
  selectField,
  textField,
} from './form-view.ts';
import { assignForm, watchForm } from './watch-form.ts';

const isInterval = (value: FormValues): boolean => /^(hourly|every )/.test(value('rhythm') ?? '');

const isHandover = (value: FormValues): boolean => value('content') === 'handover';

/** `digest handover`, or of an existing one `digest edit k3fq7a handover`. */
const CONTENT: FormField = {
  block: 'content',
  input: ({ current, sentence }) =>
    selectField({
      block: 'content',
      label: 'Content',
      updates: true,
      options: [
        { text: 'What happened, with the numbers', value: 'summary' },
        { text: 'Handover: what is open, and who is on it', value: 'handover' },
      ],
      initial: current.content ?? (/\bhandover\b/.test(sentence) ? 'handover' : undefined),
    }),
  words(value) {
    const id = value(EDITED);
    if (id === null) return isHandover(value) ? 'digest handover' : 'digest';
    return ['digest edit', id, value('content')].filter((word) => word !== null).join(' ');
  },
};

const RHYTHM: FormField = {
  block: 'rhythm',
  input({ current: { rhythm } }) {
    const options = [
      { text: 'Every day', value: 'daily at' },
      { text: 'Weekdays', value: 'weekdays' },
      { text: 'Every Monday', value: 'mondays' },
      { text: 'First of the month', value: 'monthly on the 1st at' },
      { text: 'Every hour', value: 'hourly' },
      { text: 'Every 4 hours', value: 'every 4 hours' },
    ] as const;
    const isOther = rhythm !== undefined && !options.some(({ value }) => value === rhythm);
    const other = isOther ? [{ text: capitalized(rhythm.replace(/ at$/, '')), value: rhythm }] : [];
    return selectField({
      block: 'rhythm',
      label: 'Frequency',
      updates: true,
      options: [...options, ...other],
      initial: rhythm,
    });
  },
  words: (value) => value('rhythm') ?? 'daily at',
};

const TIME: FormField = {
  block: 'time',
  applies: (value) => !isInterval(value),
  input: ({ current }) =>
    textField({
      block: 'time',
      label: 'Time of day',
      initial: current.time || '09:00',
      hint: 'For example 09:00, or 09:00 and 17:00.',
    }),
  words: (value) => value('time') ?? '09:00',
};

const ZONE: FormField = {
  block: 'zone',
  input: ({ current, settings, userZone }) =>
    textField({
      block: 'zone',
      label: 'Time zone',
      initial: current.zone ?? settings.zone ?? userZone ?? undefined,
      optional: true,
      placeholder: 'Europe/Berlin',
      hint: 'Applies to the time of day.',
    }),
  words(value) {
    const zone = value('zone');
    return zone === null ? '' : `in ${zone}`;
  },
};

export const digestForm: ModalForm = {
  callbackId: 'form_digest',
  openedBy: /^digest (new|edit)\b/,
  example: 'digest daily at 09:00',
  title: 'New digest',
  editTitle: 'Edit digest',
  submit: 'Create',
  errorBlock: 'rhythm',
  fields: [
    CHANNEL_FIELD,
    CONTENT,
    RHYTHM,
    TIME,
    { ...HOSTS_FIELD, applies: (value) => !isHandover(value) },
    ZONE,
    { ...PROJECT_FIELD, applies: (value) => !isHandover(value) },
  ],
};

export const hostForm: ModalForm = {
  callbackId: 'form_host',
  openedBy: /^hosts add\b/,
  example: 'hosts add shop <domain ID>',
  title: 'Add a host',
  submit: 'Add',
  errorBlock: 'id',
  fields: [
    {
      block: 'name',
      input: ({ sentence }) =>
        textField({
          block: 'name',
          label: 'Name',
          initial: /^hosts add (?!in project )"?([^"]+?)"?(?: in project \S+)?$/.exec(sentence)?.[1],
          placeholder: 'shop',
          hint: 'People will type: on shop',
        }),
      words: (value) => `hosts add "${(value('name') ?? '').replaceAll('"', '')}"`,
    },
    {
      block: 'id',
      input: () => textField({ block: 'id', label: 'Domain ID', hint: 'As shown in the firewall console' }),
      words: (value) => value('id') ?? '',
    },
    PROJECT_FIELD,
  ],
};

/** A form that was opened before an upgrade has other fields: show the settings and change nothing. */
const isKnown = (value: FormValues): boolean => value('answers') !== null;

export const settingsForm: ModalForm = {
  callbackId: 'form_settings',
  openedBy: /^settings\b/,
  example: 'settings zone Europe/Berlin',
  title: 'Channel settings',
  submit: 'Save',
  errorBlock: 'zone',
  fields: [
    {
      block: 'zone',
      input: ({ settings, userZone }) =>
        textField({
          block: 'zone',
          label: 'Time zone',
          initial: settings.zone,
          optional: true,
          placeholder: userZone ?? 'Europe/Berlin',
          hint: 'Leave empty to use each person’s own time zone.',
        }),
      words: (value) => (isKnown(value) ? `settings zone ${value('zone') ?? 'none'}` : 'settings'),
    },
    {
      block: 'project',
      input: ({ projects }) => projectField({ sentence: '', projects }, 'Default project'),
      words: (value) => (isKnown(value) && value('project') !== null ? `project ${value('project')}` : ''),
    },
    {
      block: 'hosts',
      input: ({ settings, hosts }) => hostsField({ sentence: '', settings, hosts, current: {} }, 'Default hosts'),
      words: (value) => (isKnown(value) ? `hosts ${value('hosts') ?? 'none'}` : ''),
    },
    {
      block: 'answers',
      input: ({ settings }) =>
        selectField({
          block: 'answers',
          label: 'Who sees answers',
          options: [
            { text: 'Everyone in the channel', value: 'public' },
            { text: 'Only the person who asks', value: 'private' },
          ],
          initial: settings.privately === true ? 'private' : 'public',
        }),
      words: (value) => value('answers') ?? '',
    },
  ],
};

export const FORMS: readonly ModalForm[] = [digestForm, watchForm, assignForm, hostForm, settingsForm];
