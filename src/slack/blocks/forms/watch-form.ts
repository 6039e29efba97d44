/** A new watch for the channel that the form was opened in. */
import { choiceField, type Form, hostsField, onHosts, textField } from './form.ts';

const ANYTHING = 'anything';

export const watchForm: Form = {
  callbackId: 'form_watch',
  opens: /^watch new\b/,
  typed: 'watch',
  title: 'New watch',
  submit: 'Watch',
  faultBlock: 'over',
  blocks: ({ sentence }) => [
    choiceField('what', 'Look out for', [
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
    return ['watch', limit, onHosts(value)].filter((part) => part !== '').join(' ');
  },
};
