/**
 * Modal forms: their definition, view and input fields as Block Kit. A form is another way to write a command: its values
 * become the sentence a person would have typed, so it does and refuses exactly what that sentence would.
 */
import type { Block, InputBlock, KnownBlock, ModalView } from '@slack/types';
import type { ChannelSettings } from '../../commands/channel-records.ts';
import { quoteName } from '../../grammar/hosts.ts';
import type { LinkedRunbook } from '../../projects/runbooks.ts';
import { LIMITS } from './limits.ts';

export interface FormContext {
  /** The sentence on the button that opened it, such as `digest new on shop`. */
  readonly sentence: string;
  readonly userZone: string | null;
  readonly settings: ChannelSettings;
  /** The projects to choose from, the default first; none if there is only one. */
  readonly projects: readonly string[];
  /** Host names to choose from, if the service lists them. */
  readonly hosts: readonly string[];
  /** What is set now, by block ID, for a form that edits something; empty for something new. */
  readonly current: CurrentValues;
  /** What is ignored on the hosts of a watch, in words. */
  readonly ignored: readonly string[];
  /** What has a runbook; `null` if none can be linked. */
  readonly runbooks: readonly LinkedRunbook[] | null;
  /** Opened outside of any channel. */
  readonly asksForChannel?: boolean;
}

/** Values by block ID, as the fields of a form show them. */
type CurrentValues = Readonly<Record<string, string>>;

/** The submitted values by block ID, also those of fields that aren't shown; `null` for an empty field. */
export type FormValues = (block: string) => string | null;

/** The value of a form that edits something: its ID. */
export const EDITED = 'edited';

/**
 * A field adds its words to the form's sentence, or has a sentence of its own. A new field is one of these in the list of its
 * form; nothing else has to know about it.
 */
export interface FormField {
  /** Part of open modals, so it must not change. Also the name of its value in `FormContext.current`. */
  readonly block: string;
  /** No input if there's nothing to choose. */
  input(context: FormContext): KnownBlock | null;
  /** Whether it applies to the other values, and is shown; always if absent. A field others depend on has `updates`. */
  applies?(value: FormValues): boolean;
  /** Its words in the form's sentence; none if empty. */
  words?(value: FormValues): string;
  /**
   * A command of its own, about the digest or watch with this ID; none if empty. It may run again, so it must say how things
   * should be, not how to change them.
   */
  sentence?(value: FormValues, id: string): string;
  /** Its sentence isn't about the digest or watch: the answer has a line of its own for it. */
  readonly isApart?: true;
}

export interface ModalForm {
  /** Part of open modals, so it must not change. */
  readonly callbackId: string;
  /** Which sentences on a button open this form. */
  readonly openedBy: RegExp;
  /** How to type the same command. */
  readonly example: string;
  readonly title: string;
  /** If it edits something. */
  readonly editTitle?: string;
  readonly submit: string;
  /** Where an error is shown if it can't be attributed to a field; one that is always shown. */
  readonly errorBlock: string;
  /** Answered below the message whose button opened it. */
  readonly inThread?: true;
  readonly fields: readonly FormField[];
}

/** The words that a field contributes to the sentence. */
interface FormPart {
  readonly block: string;
  readonly text: string;
  readonly isApart?: boolean;
}

export function formSentence(form: ModalForm, value: FormValues): string {
  return wordedParts(form, value)
    .map(({ text }) => text)
    .join(' ');
}

/** The sentences of single fields, beside the form's own. */
export function furtherSentences(form: ModalForm, value: FormValues, id: string): FormPart[] {
  return applying(form, value)
    .map((field) => ({ block: field.block, text: field.sentence?.(value, id) ?? '', isApart: field.isApart ?? false }))
    .filter(({ text }) => text !== '');
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

const applying = (form: ModalForm, value: FormValues): FormField[] =>
  form.fields.filter(({ applies }) => applies === undefined || applies(value));

const wordedParts = (form: ModalForm, value: FormValues): FormPart[] =>
  applying(form, value)
    .map((field) => ({ block: field.block, text: field.words?.(value) ?? '' }))
    .filter(({ text }) => text !== '');

/** Where a form was opened. Stored in the view itself, so that a restart doesn't lose it. */
export interface FormOrigin {
  readonly channel: string;
  readonly threadTs?: string;
  /** Opened on the Home tab. */
  readonly isHome?: boolean;
  /** The values of fields that aren't shown, by block ID. Absent in a form of the previous version. */
  readonly values?: CurrentValues;
}

export function formOrigin(privateMetadata: string): FormOrigin {
  const origin: FormOrigin = JSON.parse(privateMetadata);
  return origin;
}

export function formView(form: ModalForm, context: FormContext, origin: FormOrigin): ModalView {
  const { current } = context;
  const inputs = form.fields.flatMap((field) => {
    const block = field.input(context);
    return block === null ? [] : [{ field, block }];
  });
  const initial = new Map(inputs.map(({ field, block }) => [field.block, initialValue(block)]));
  const value: FormValues = (block) => initial.get(block) ?? current[block] ?? null;
  const shown = inputs.filter(({ field: { applies } }) => applies === undefined || applies(value));
  const blocks = [...placeBlocks(origin), ...shown.map(({ block }) => block)];
  return viewOf(form, { ...origin, values: valuesBeside(form, blocks, value) }, blocks);
}

/** The same form for other values: fields that apply now are added, and what was entered in the others is kept. */
export function updatedView(
  form: ModalForm,
  origin: FormOrigin,
  { blocks, value }: { readonly blocks: ModalView['blocks']; readonly value: FormValues },
): ModalView {
  const existing = new Map(blocks.map((block) => [block.block_id, block]));
  const entered = Object.fromEntries(form.fields.flatMap(({ block }) => pairIfAny(block, value(block))));
  const choices = { settings: {}, projects: [], hosts: [], ignored: [], runbooks: null };
  const context = { sentence: '', userZone: null, ...choices, current: entered };
  const shown = applying(form, value).flatMap((field) => existing.get(field.block) ?? field.input(context) ?? []);
  const isField = ({ type }: Block): boolean => type === 'input';
  const all = [...blocks.filter((block) => !isField(block)), ...shown];
  return viewOf(form, { ...origin, values: valuesBeside(form, shown, value) }, all);
}

/** Opened outside of the channel, the form says which channel it's about. */
function placeBlocks({ channel, isHome = false }: FormOrigin): KnownBlock[] {
  if (!isHome || channel === '') return [];
  const text = channel.startsWith('D') ? 'In our direct messages' : `In <#${channel}>`;
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text }] }];
}

/** What an update and the submission need beyond the fields that are shown. */
function valuesBeside(form: ModalForm, shown: readonly Block[], value: FormValues): CurrentValues {
  const blocks = new Set(shown.map((block) => block.block_id));
  const names = [EDITED, ...form.fields.map(({ block }) => block)].filter((name) => !blocks.has(name));
  return Object.fromEntries(names.flatMap((name) => pairIfAny(name, value(name))));
}

const pairIfAny = (name: string, value: string | null): [string, string][] => (value === null ? [] : [[name, value]]);

function viewOf(form: ModalForm, origin: FormOrigin, blocks: ModalView['blocks']): ModalView {
  const isEdit = origin.values?.[EDITED] !== undefined;
  return {
    type: 'modal',
    callback_id: form.callbackId,
    private_metadata: JSON.stringify(origin),
    title: plain(isEdit ? (form.editTitle ?? form.title) : form.title),
    submit: plain(isEdit && form.editTitle !== undefined ? 'Save' : form.submit),
    close: plain('Cancel'),
    blocks,
  };
}

/** What an input shows before anyone has touched it. */
function initialValue(block: KnownBlock): string | null {
  if (block.type !== 'input') return null;
  const { element } = block;
  if (element.type === 'static_select') return element.initial_option?.value ?? null;
  if (element.type === 'plain_text_input') return element.initial_value ?? null;
  return null;
}

const plain = (text: string) => ({ type: 'plain_text' as const, text });

const option = (text: string, value: string) => ({ text: plain(text), value });

interface InputOptions {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
  /** Other fields depend on it: the form is updated when it changes. */
  readonly updates?: boolean;
}

export function input(
  { block, label, hint, optional = false, updates }: InputOptions,
  element: InputBlock['element'],
): KnownBlock {
  return {
    type: 'input',
    block_id: block,
    optional,
    ...(updates === true && { dispatch_action: true }),
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

interface MenuFieldOptions extends InputOptions {
  readonly options: readonly SelectOption[];
  readonly initial: readonly string[];
}

/** Any number of them, in one searchable menu. */
export function menuField({ options, initial, ...field }: MenuFieldOptions): KnownBlock {
  const chosen = options.filter(({ value }) => initial.includes(value));
  return input(field, {
    type: 'multi_static_select',
    action_id: field.block,
    options: options.map(({ text, value }) => option(text, value)),
    initial_options: chosen.length === 0 ? undefined : chosen.map(({ text, value }) => option(text, value)),
  });
}

interface SelectOption {
  readonly text: string;
  readonly value: string;
}

interface SelectFieldOptions extends InputOptions {
  readonly options: readonly [SelectOption, ...SelectOption[]];
  /** The initial value; defaults to the first option. */
  readonly initial?: string | undefined;
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
 * Which hosts, initially those that are set now, or that the button's sentence names, or else the channel's. A searchable menu
 * if the names fit into one, otherwise a text field.
 */
export function hostsField(
  { sentence, settings, hosts, current }: Pick<FormContext, 'sentence' | 'settings' | 'hosts' | 'current'>,
  label = 'Hosts',
): KnownBlock {
  const named = current.hosts ?? /\bon (.+?)(?: in project \S+)?$/.exec(sentence)?.[1];
  const initial = named === undefined ? (settings.hosts ?? []).map(quoteName) : namesIn(named);
  const names = [...new Set([...initial, ...hosts.map(quoteName)])];
  const hint = 'Leave empty for all hosts.';
  const choice = choiceOf(names);
  const isTooLong =
    names.some((name) => name.length > MAX_OPTION_CHARS) || JSON.stringify(choice).length > MAX_MENU_CHARS;
  if (hosts.length === 0 || isTooLong) {
    return textField({
      block: 'hosts',
      label,
      initial: (named ?? initial.join(', ')) || undefined,
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

const namesIn = (text: string): readonly string[] => text.match(/"[^"]*"|[^\s,]+/g) ?? [];

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

/** `on shop, blog`, in the words of the project that the hosts belong to. */
export const HOSTS_FIELD: FormField = {
  block: 'hosts',
  input: hostsField,
  // Without the words, a channel's own hosts would be meant.
  words: (value) => `on ${value('hosts') ?? 'all hosts'}`,
};

/** Which project, initially the one in the button's sentence; none if there is no choice. */
export function projectField(
  { projects, sentence }: Pick<FormContext, 'projects' | 'sentence'>,
  label = 'Project',
): KnownBlock | null {
  const options = projects.map((name) => ({ text: name, value: name }));
  const [first, ...more] = options;
  if (first === undefined || more.length === 0) return null;
  const initial = /\bin project (\S+)/.exec(sentence)?.[1];
  return selectField({ block: 'project', label, options: [first, ...more], initial });
}

/** `in project eu`. An existing one stays in its project, because its hosts belong to that. */
export const PROJECT_FIELD: FormField = {
  block: 'project',
  input: (context) => (context.current[EDITED] === undefined ? projectField(context) : null),
  words(value) {
    const project = value('project');
    return project === null ? '' : `in project ${project}`;
  },
};

/** Where it posts, for a form that is opened outside of any channel. The sentence runs there. */
export const CHANNEL_FIELD: FormField = {
  block: 'channel',
  input: ({ asksForChannel }) =>
    asksForChannel === true
      ? input(
          { block: 'channel', label: 'Channel', hint: 'Where it posts. I have to be a member.' },
          {
            type: 'conversations_select',
            action_id: 'channel',
            filter: { include: ['public', 'private'], exclude_bot_users: true },
          },
        )
      : null,
};
