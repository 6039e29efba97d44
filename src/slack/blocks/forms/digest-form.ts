/** A new digest for the channel that the form was opened in. */
import { choiceField, type Form, hostsField, onHosts, textField } from './form.ts';

export const digestForm: Form = {
  callbackId: 'form_digest',
  opens: /^digest new\b/,
  typed: 'digest daily at 09:00',
  title: 'New digest',
  submit: 'Make it',
  faultBlock: 'time',
  blocks: ({ userZone, sentence }) => [
    choiceField('rhythm', 'How often', [
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
    const rhythm = value('rhythm') ?? 'daily at';
    const byTheClock = !/^(hourly|every )/.test(rhythm);
    return [
      'digest',
      rhythm,
      byTheClock ? (value('time') ?? '09:00') : '',
      onHosts(value),
      value('zone') ? `in ${value('zone')}` : '',
    ]
      .filter((part) => part !== '')
      .join(' ');
  },
};
