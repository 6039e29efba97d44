/** The forms that buttons open, each as data: when it opens, its fields with what is set now, and the sentence it writes. */
import {
  hostsField,
  inNamedProject,
  type ModalForm,
  onHosts,
  projectField,
  selectField,
  textField,
} from './form-view.ts';

export const digestForm: ModalForm = {
  callbackId: 'form_digest',
  openedBy: /^digest new\b/,
  example: 'digest daily at 09:00',
  title: 'New digest',
  submit: 'Make it',
  errorBlock: 'time',
  blocks: ({ userZone, sentence, settings, projects, hosts }) => [
    selectField({
      block: 'rhythm',
      label: 'How often the digest comes',
      options: [
        { text: 'Every day', value: 'daily at' },
        { text: 'Working days', value: 'weekdays' },
        { text: 'Mondays', value: 'mondays' },
        { text: 'First of the month', value: 'monthly on the 1st at' },
        { text: 'Every hour', value: 'hourly' },
        { text: 'Every 4 hours', value: 'every 4 hours' },
      ],
    }),
    textField({
      block: 'time',
      label: 'Time of day',
      initial: '09:00',
      optional: true,
      hint: 'Such as 09:00. One that comes every hour or every few hours needs none.',
    }),
    textField({
      block: 'zone',
      label: 'Time zone',
      initial: settings.zone ?? userZone ?? undefined,
      optional: true,
      placeholder: 'Europe/Berlin',
      hint: 'The time of day is read in this zone.',
    }),
    ...projectField({ sentence, projects }),
    hostsField({ sentence, settings, hosts }),
  ],
  parts(value) {
    const rhythm = value('rhythm') ?? 'daily at';
    const hasTimeOfDay = !/^(hourly|every )/.test(rhythm);
    const zone = value('zone');
    return [
      { block: 'rhythm', text: `digest ${rhythm}` },
      { block: 'time', text: hasTimeOfDay ? (value('time') ?? '09:00') : '' },
      { block: 'hosts', text: onHosts(value) },
      { block: 'zone', text: zone === null ? '' : `in ${zone}` },
      inNamedProject(value),
    ];
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
  blocks: ({ sentence, settings, projects, hosts }) => [
    selectField({
      block: 'what',
      label: 'What to look out for',
      options: [
        { text: 'Anything unusual', value: ANYTHING },
        { text: 'Attacks over a number', value: 'attacks' },
        { text: 'Requests over a number', value: 'requests' },
        { text: 'SQL injection over a number', value: 'sqli' },
        { text: 'XSS over a number', value: 'xss' },
        { text: 'CC attacks over a number', value: 'cc' },
        { text: 'Malicious crawlers over a number', value: 'robot' },
      ],
    }),
    selectField({
      block: 'calls',
      label: 'How easily it calls about anything unusual',
      options: [
        { text: 'Normal', value: 'normal' },
        { text: 'Quiet: only when it is clear', value: 'quiet' },
        { text: 'Sensitive: earlier, and more often for nothing', value: 'sensitive' },
      ],
    }),
    textField({
      block: 'over',
      label: 'Call when there are more than',
      optional: true,
      placeholder: '500',
      hint: 'Only for “over a number”.',
    }),
    textField({
      block: 'per',
      label: 'Counted over',
      optional: true,
      initial: '15m',
      hint: 'Such as 15m or 2h. Only for “over a number”.',
    }),
    ...projectField({ sentence, projects }),
    hostsField({ sentence, settings, hosts }),
  ],
  parts(value) {
    const what = value('what') ?? ANYTHING;
    const isLimit = what !== ANYTHING;
    const calls = value('calls') ?? 'normal';
    return [
      { block: 'what', text: isLimit ? `watch ${what}` : 'watch' },
      { block: 'calls', text: isLimit || calls === 'normal' ? '' : calls },
      { block: 'over', text: isLimit ? `over ${value('over') ?? '?'}` : '' },
      { block: 'per', text: isLimit ? `per ${value('per') ?? '15m'}` : '' },
      { block: 'hosts', text: onHosts(value) },
      inNamedProject(value),
    ];
  },
};

export const hostForm: ModalForm = {
  callbackId: 'form_host',
  openedBy: /^hosts add\b/,
  example: 'hosts add shop <domain ID>',
  title: 'Add a host',
  submit: 'Add',
  errorBlock: 'id',
  blocks: ({ sentence, projects }) => [
    textField({
      block: 'name',
      label: 'Name of the host',
      initial: /^hosts add (?!in project )"?([^"]+?)"?(?: in project \S+)?$/.exec(sentence)?.[1],
      placeholder: 'shop',
      hint: 'What people will say: on shop',
    }),
    textField({ block: 'id', label: 'Domain ID', hint: 'As the console of the firewall shows it' }),
    ...projectField({ sentence, projects }),
  ],
  parts: (value) => [
    { block: 'name', text: `hosts add "${(value('name') ?? '').replaceAll('"', '')}"` },
    { block: 'id', text: value('id') ?? '' },
    inNamedProject(value),
  ],
};

export const settingsForm: ModalForm = {
  callbackId: 'form_settings',
  openedBy: /^settings\b/,
  example: 'settings zone Europe/Berlin',
  title: 'Channel settings',
  submit: 'Save',
  errorBlock: 'zone',
  blocks: ({ settings, userZone, projects, hosts }) => [
    textField({
      block: 'zone',
      label: 'Time zone of this channel',
      initial: settings.zone,
      optional: true,
      placeholder: userZone ?? 'Europe/Berlin',
      hint: 'Left empty: each person’s own zone.',
    }),
    ...projectField({ sentence: '', projects }, 'Project that is meant when a question names none'),
    hostsField({ sentence: '', settings, hosts }, 'Hosts that are meant when a question names none'),
    selectField({
      block: 'answers',
      label: 'Who sees the answers',
      options: [
        { text: 'Everyone in the channel', value: 'public' },
        { text: 'Only the person who asks', value: 'private' },
      ],
      initial: settings.privately === true ? 'private' : 'public',
    }),
  ],
  parts(value) {
    const answers = value('answers');
    // A form that was opened before an upgrade has other fields: it shows what is set, and changes nothing.
    if (answers === null) return [{ block: 'zone', text: 'settings' }];
    const project = value('project');
    return [
      { block: 'zone', text: `settings zone ${value('zone') ?? 'none'}` },
      { block: 'project', text: project === null ? '' : `project ${project}` },
      { block: 'hosts', text: `hosts ${value('hosts') ?? 'none'}` },
      { block: 'answers', text: answers },
    ];
  },
};

export const FORMS: readonly ModalForm[] = [digestForm, watchForm, hostForm, settingsForm];
