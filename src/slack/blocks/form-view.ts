/**
 * Modal forms: their definition, view and input fields as Block Kit. A form is another way to write a command: its values
 * become the sentence a person would have typed, so it does and refuses exactly what that sentence would.
 */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import type { ChannelSettings } from '../../commands/context.ts';
import { quoteName } from '../../grammar/hosts.ts';
import { LIMITS } from './limits.ts';

interface FormContext {
  /** The sentence on the button that opened it, such as `digest new on shop`. */
  readonly sentence: string;
  readonly userZone: string | null;
  readonly settings: ChannelSettings;
  /** The projects to choose from, the default first; none if there is only one. */
  readonly projects: readonly string[];
  /** Host names to choose from, if the service lists them. */
  readonly hosts: readonly string[];
}

/** The submitted values by block ID; `null` for an empty field. */
export type FormValues = (block: string) => string | null;

export interface ModalForm {
  /** Part of open modals, so it must not change. */
  readonly callbackId: string;
  /** Which sentences on a button open this form. */
  readonly openedBy: RegExp;
  /** How to type the same command. */
  readonly example: string;
  readonly title: string;
  readonly submit: string;
  /** Where an error is shown if it can't be attributed to a field. */
  readonly errorBlock: string;
  blocks(context: FormContext): KnownBlock[];
  parts(value: FormValues): readonly FormPart[];
}

/** The words that a field contributes to the sentence. */
interface FormPart {
  readonly block: string;
  readonly text: string;
}

export function formSentence(form: ModalForm, value: FormValues): string {
  return wordedParts(form, value)
    .map(({ text }) => text)
    .join(' ');
}

/** The field whose words are at this position in the sentence. */
export function blockAt(form: ModalForm, value: FormValues, place: number): string {
  let end = -1;
  const part = wordedParts(form, value).find(({ text }) => {
    end += text.length + 1;
    return place < end;
  });
  return part?.block ?? form.errorBlock;
}

const wordedParts = (form: ModalForm, value: FormValues): FormPart[] =>
  form.parts(value).filter(({ text }) => text !== '');

/** Where a form was opened. Stored in the view itself, so that a restart doesn't lose it. */
export interface FormOrigin {
  readonly channel: string;
  readonly threadTs?: string;
}

export function formOrigin(privateMetadata: string): FormOrigin {
  const origin: FormOrigin = JSON.parse(privateMetadata);
  return origin;
}

export function formView(form: ModalForm, context: FormContext, origin: FormOrigin): ModalView {
  return {
    type: 'modal',
    callback_id: form.callbackId,
    private_metadata: JSON.stringify(origin),
    title: plain(form.title),
    submit: plain(form.submit),
    close: plain('Cancel'),
    blocks: form.blocks(context),
  };
}

const plain = (text: string) => ({ type: 'plain_text' as const, text });

const option = (text: string, value: string) => ({ text: plain(text), value });

interface InputOptions {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
}

function input({ block, label, hint, optional = false }: InputOptions, element: InputBlock['element']): KnownBlock {
  return {
    type: 'input',
    block_id: block,
    optional,
    label: plain(label),
    hint: hint === undefined ? undefined : plain(hint),
    element,
  };
}

interface TextFieldOptions extends InputOptions {
  readonly placeholder?: string;
  readonly initial?: string | undefined;
}

export function textField({ placeholder, initial, ...options }: TextFieldOptions): KnownBlock {
  return input(options, {
    type: 'plain_text_input',
    action_id: options.block,
    max_length: LIMITS.inputText,
    placeholder: placeholder === undefined ? undefined : plain(placeholder),
    initial_value: initial,
  });
}

interface SelectOption {
  readonly text: string;
  readonly value: string;
}

interface SelectFieldOptions extends InputOptions {
  readonly options: readonly [SelectOption, ...SelectOption[]];
  /** The initial value; defaults to the first option. */
  readonly initial?: string;
}

export function selectField({ options, initial, ...field }: SelectFieldOptions): KnownBlock {
  const chosen = options.find(({ value }) => value === initial) ?? options[0];
  return input(field, {
    type: 'static_select',
    action_id: field.block,
    options: options.map(({ text, value }) => option(text, value)),
    initial_option: option(chosen.text, chosen.value),
  });
}

/** Slack's limit per menu, and per group of a menu. */
const MAX_OPTIONS = 100;
const MAX_OPTION_CHARS = 75;
/** For all options as JSON: Slack refuses a form of more than 250,000 characters. */
const MAX_MENU_CHARS = 200_000;

/**
 * Which hosts, initially those that the button's sentence names, or else the channel's. A searchable menu if the names fit
 * into one, otherwise a text field.
 */
export function hostsField(
  { sentence, settings, hosts }: Pick<FormContext, 'sentence' | 'settings' | 'hosts'>,
  label = 'Hosts',
): KnownBlock {
  const named = /\bon (.+?)(?: in project \S+)?$/.exec(sentence)?.[1];
  const initial = named?.match(/"[^"]*"|[^\s,]+/g) ?? (settings.hosts ?? []).map(quoteName);
  const names = [...new Set([...initial, ...hosts.map(quoteName)])];
  const hint = 'Leave empty for all hosts.';
  const choice = choiceOf(names);
  const isTooLong =
    names.some((name) => name.length > MAX_OPTION_CHARS) || JSON.stringify(choice).length > MAX_MENU_CHARS;
  if (hosts.length === 0 || isTooLong) {
    return textField({
      block: 'hosts',
      label,
      initial: named ?? (initial.join(', ') || undefined),
      optional: true,
      placeholder: 'shop, blog',
      hint: `Comma-separated names${hosts.length === 0 ? '' : '; a unique prefix is enough'}. ${hint}`,
    });
  }
  return input(
    { block: 'hosts', label, hint, optional: true },
    {
      type: 'multi_static_select',
      action_id: 'hosts',
      ...choice,
      initial_options: initial.length === 0 ? undefined : initial.map(optionOf),
    },
  );
}

const optionOf = (name: string) => option(name, name);

/** As options, or in alphabetical groups if there are more than a menu holds. */
function choiceOf(names: readonly string[]) {
  if (names.length <= MAX_OPTIONS) return { options: names.map(optionOf) };
  const sorted = names.toSorted((a, b) => a.localeCompare(b, 'en'));
  const groups = Array.from({ length: Math.ceil(sorted.length / MAX_OPTIONS) }, (_, at) =>
    sorted.slice(at * MAX_OPTIONS, (at + 1) * MAX_OPTIONS),
  );
  const short = (name = ''): string => (name.length > 30 ? `${name.slice(0, 29)}…` : name);
  return {
    option_groups: groups.map((group) => ({
      label: plain(`${short(group[0])} – ${short(group.at(-1))}`),
      options: group.map(optionOf),
    })),
  };
}

/** The value of the hosts field as the `on …` part of a sentence. */
export function onHosts(value: FormValues): string {
  const hosts = value('hosts');
  return hosts ? `on ${hosts}` : '';
}

/** Which project, initially the one in the button's sentence; nothing if there is no choice. */
export function projectField(
  { projects, sentence }: Pick<FormContext, 'projects' | 'sentence'>,
  label = 'Project',
): KnownBlock[] {
  const options = projects.map((name) => ({ text: name, value: name }));
  const [first, ...more] = options;
  if (first === undefined || more.length === 0) return [];
  const initial = /\bin project (\S+)/.exec(sentence)?.[1];
  return [selectField({ block: 'project', label, options: [first, ...more], initial })];
}

/** The value of the project field as the `in project …` part of a sentence. */
export function inNamedProject(value: FormValues): FormPart {
  const project = value('project');
  return { block: 'project', text: project === null ? '' : `in project ${project}` };
}
