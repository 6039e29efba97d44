/** The channel's settings, one at a time: each change is one sentence. */
import { choiceField, type Form, textField } from './form.ts';

export const settingsForm: Form = {
  callbackId: 'form_settings',
  opens: /^settings\b/,
  typed: 'settings zone Europe/Berlin',
  title: 'Channel settings',
  submit: 'Save',
  faultBlock: 'value',
  blocks: ({ userZone }) => [
    choiceField('setting', 'What to change', [
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
