/** The forms that buttons open, each as data: which buttons open it, its fields, and the sentence it writes. */
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
  submit: 'Create',
  errorBlock: 'time',
  blocks: ({ userZone, sentence, settings, projects, hosts }) => [
    selectField({
      block: 'rhythm',
      label: 'Frequency',
      options: [
        { text: 'Every day', value: 'daily at' },
        { text: 'Weekdays', value: 'weekdays' },
        { text: 'Every Monday', value: 'mondays' },
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
      hint: 'For example 09:00. Not needed for hourly digests.',
    }),
    textField({
      block: 'zone',
      label: 'Time zone',
      initial: settings.zone ?? userZone ?? undefined,
      optional: true,
      placeholder: 'Europe/Berlin',
      hint: 'Applies to the time of day.',
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
  submit: 'Create',
  errorBlock: 'over',
  blocks: ({ sentence, settings, projects, hosts }) => [
    selectField({
      block: 'what',
      label: 'Watch for',
      options: [
        { text: 'Anything unusual', value: ANYTHING },
        { text: 'Attacks above a threshold', value: 'attacks' },
        { text: 'Requests above a threshold', value: 'requests' },
        { text: 'SQL injection above a threshold', value: 'sqli' },
        { text: 'XSS above a threshold', value: 'xss' },
        { text: 'CC attacks above a threshold', value: 'cc' },
        { text: 'Malicious crawlers above a threshold', value: 'robot' },
      ],
    }),
    selectField({
      block: 'calls',
      label: 'Alert sensitivity',
      options: [
        { text: 'Normal', value: 'normal' },
        { text: 'Quiet: only clear anomalies', value: 'quiet' },
        { text: 'Sensitive: earlier, with more false alarms', value: 'sensitive' },
      ],
    }),
    textField({
      block: 'over',
      label: 'Threshold',
      optional: true,
      placeholder: '500',
      hint: 'Alerts when there are more. Only for “above a threshold”.',
    }),
    textField({
      block: 'per',
      label: 'Time window',
      optional: true,
      initial: '15m',
      hint: 'For example 15m or 2h. Only for “above a threshold”.',
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
      label: 'Name',
      initial: /^hosts add (?!in project )"?([^"]+?)"?(?: in project \S+)?$/.exec(sentence)?.[1],
      placeholder: 'shop',
      hint: 'People will type: on shop',
    }),
    textField({ block: 'id', label: 'Domain ID', hint: 'As shown in the firewall console' }),
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
      label: 'Time zone',
      initial: settings.zone,
      optional: true,
      placeholder: userZone ?? 'Europe/Berlin',
      hint: 'Leave empty to use each person’s own time zone.',
    }),
    ...projectField({ sentence: '', projects }, 'Default project'),
    hostsField({ sentence: '', settings, hosts }, 'Default hosts'),
    selectField({
      block: 'answers',
      label: 'Who sees answers',
      options: [
        { text: 'Everyone in the channel', value: 'public' },
        { text: 'Only the person who asks', value: 'private' },
      ],
      initial: settings.privately === true ? 'private' : 'public',
    }),
  ],
  parts(value) {
    const answers = value('answers');
    // A form that was opened before an upgrade has other fields: show the settings and change nothing.
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
