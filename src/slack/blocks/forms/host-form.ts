/** A name for a domain ID. */
import { type Form, textField } from './form.ts';

export const hostForm: Form = {
  callbackId: 'form_host',
  opens: /^hosts add\b/,
  typed: 'hosts add shop <domain ID>',
  title: 'Add a host',
  submit: 'Add',
  faultBlock: 'id',
  blocks: () => [
    textField({ block: 'name', label: 'Name', placeholder: 'shop', hint: 'What people will say: on shop' }),
    textField({ block: 'id', label: 'Domain ID', hint: 'As the console of the firewall shows it' }),
  ],
  sentence: (value) => `hosts add "${(value('name') ?? '').replaceAll('"', '')}" ${value('id') ?? ''}`,
};
