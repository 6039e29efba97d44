/**
 * A form is another way to write a sentence: its fields become the words a person would have typed, and the same
 * commands answer. So a form can do nothing that a sentence cannot, and refuses what a sentence refuses.
 */
import type { KnownBlock, ModalView } from '@slack/types';

export interface FormContext {
  /** What the button that opened it says, such as `digest new on shop`. */
  readonly sentence: string;
  readonly userZone: string | null;
}

/** What a person filled in, by block. */
export type FormValues = (block: string) => string | null;

export interface Form {
  readonly callbackId: string;
  /** Which sentences on a button open it. */
  readonly opens: RegExp;
  /** How to say the same without a form. */
  readonly typed: string;
  readonly title: string;
  readonly submit: string;
  blocks(context: FormContext): KnownBlock[];
  /** The sentence that these values mean. */
  sentence(values: FormValues): string;
  /** Where a refusal is shown. */
  readonly faultBlock: string;
}

export function viewOf(form: Form, context: FormContext, privateMetadata: string): ModalView {
  return {
    type: 'modal',
    callback_id: form.callbackId,
    private_metadata: privateMetadata,
    title: { type: 'plain_text', text: form.title },
    submit: { type: 'plain_text', text: form.submit },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: form.blocks(context),
  };
}

interface TextField {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly initial?: string | undefined;
  readonly optional?: boolean;
}

export function textField({ block, label, hint, placeholder, initial, optional = false }: TextField): KnownBlock {
  return {
    type: 'input',
    block_id: block,
    optional,
    label: { type: 'plain_text', text: label },
    ...(hint === undefined ? {} : { hint: { type: 'plain_text', text: hint } }),
    element: {
      type: 'plain_text_input',
      action_id: block,
      max_length: 2_000,
      ...(placeholder === undefined ? {} : { placeholder: { type: 'plain_text', text: placeholder } }),
      ...(initial === undefined ? {} : { initial_value: initial }),
    },
  };
}

export interface Choice {
  readonly text: string;
  readonly value: string;
}

export function choiceField(block: string, label: string, choices: readonly [Choice, ...Choice[]]): KnownBlock {
  const option = ({ text, value }: Choice) => ({ text: { type: 'plain_text' as const, text }, value });
  return {
    type: 'input',
    block_id: block,
    label: { type: 'plain_text', text: label },
    element: {
      type: 'static_select',
      action_id: block,
      options: choices.map(option),
      initial_option: option(choices[0]),
    },
  };
}

/** Which hosts, beginning with those in the sentence of the button. */
export function hostsField(sentence: string): KnownBlock {
  return textField({
    block: 'hosts',
    label: 'Only these hosts',
    initial: /\bon (.+)$/.exec(sentence)?.[1],
    optional: true,
    placeholder: 'shop, blog',
    hint: 'Left empty: all',
  });
}

/** What was put into that field, as words of a sentence. */
export function onHosts(value: FormValues): string {
  const hosts = value('hosts');
  return hosts ? `on ${hosts}` : '';
}
