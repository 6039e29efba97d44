/** Values of the inputs in a message or view: what the person chose, otherwise the initial values. */
import { isObject, type JsonObject, objectAt, objectsIn, stringAt } from '../json.ts';
import { elementsOf } from '../views.ts';

/** The options that the app last answered with for a menu with an external source. */
const loadedOptions = new WeakMap<JsonObject, readonly JsonObject[]>();

export const rememberOptions = (element: JsonObject, options: readonly JsonObject[]): void =>
  void loadedOptions.set(element, options);

/** By action id: a text, the value of an option or several of them, or a Unix time. */
export type Choices = Readonly<Record<string, string | number | readonly string[] | null>>;

export function stateValues(
  blocks: readonly JsonObject[],
  choices: Choices,
): Record<string, Record<string, JsonObject>> {
  const values: Record<string, Record<string, JsonObject>> = {};
  for (const { block, element } of elementsOf(blocks)) {
    if (element.type === 'button' || element.type === 'overflow') continue;
    const actionId = String(element.action_id);
    const blockId = String(block.block_id);
    const state = elementState(element, choices[actionId]);
    values[blockId] = { ...values[blockId], [actionId]: { type: element.type, ...state } };
  }
  return values;
}

/** The fields of an element in a payload: the same in an action and in the state of a view. */
export function elementState(element: JsonObject, choice: Choices[string] | undefined): JsonObject {
  const text = choice === undefined || choice === null ? undefined : String(choice);
  const many = Array.isArray(choice) ? choice.map(String) : text === undefined ? undefined : [text];
  const option = (value: string | undefined) => optionsOf(element).find((candidate) => candidate.value === value);
  switch (element.type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
      return { selected_option: option(text) ?? objectAt(element, 'initial_option') ?? null };
    case 'overflow':
      return { selected_option: option(text) ?? null };
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return {
        selected_options:
          many === undefined ? objectsIn(element.initial_options) : many.flatMap((value) => option(value) ?? []),
      };
    case 'users_select':
      return { selected_user: text ?? stringAt(element, 'initial_user') ?? null };
    case 'multi_users_select':
      return { selected_users: many ?? element.initial_users ?? [] };
    case 'conversations_select':
      return { selected_conversation: text ?? stringAt(element, 'initial_conversation') ?? null };
    case 'multi_conversations_select':
      return { selected_conversations: many ?? element.initial_conversations ?? [] };
    case 'channels_select':
      return { selected_channel: text ?? stringAt(element, 'initial_channel') ?? null };
    case 'multi_channels_select':
      return { selected_channels: many ?? element.initial_channels ?? [] };
    case 'rich_text_input':
      return { rich_text_value: text === undefined ? (objectAt(element, 'initial_value') ?? null) : richTextOf(text) };
    case 'file_input':
      return { files: (many ?? []).map((id) => ({ id })) };
    case 'datepicker':
      return { selected_date: text ?? stringAt(element, 'initial_date') ?? null };
    case 'timepicker':
      return { selected_time: text ?? stringAt(element, 'initial_time') ?? null };
    case 'datetimepicker':
      return { selected_date_time: typeof choice === 'number' ? choice : (element.initial_date_time ?? null) };
    case 'button':
      return stringAt(element, 'value') === undefined ? {} : { value: element.value };
    case 'feedback_buttons':
      return { value: text ?? stringAt(objectAt(element, 'positive_button') ?? {}, 'value') };
    default:
      return { value: (text ?? stringAt(element, 'initial_value')) || null };
  }
}

const richTextOf = (text: string): JsonObject => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});

function optionsOf(element: JsonObject): readonly JsonObject[] {
  const groups = objectsIn(element.option_groups).flatMap((group) => objectsIn(group.options));
  return [...objectsIn(element.options), ...groups, ...(loadedOptions.get(element) ?? [])];
}

/** Block ids of required inputs that are empty. Slack's client does not send such a form. */
export function unfilled(
  blocks: readonly JsonObject[],
  values: Readonly<Record<string, Record<string, JsonObject>>>,
): readonly string[] {
  return blocks
    .filter((block) => block.type === 'input' && block.optional !== true)
    .map((block) => String(block.block_id))
    .filter((blockId) => Object.values(values[blockId] ?? {}).every((state) => isEmpty(state)));
}

function isEmpty(state: JsonObject): boolean {
  const { type: _type, ...fields } = state;
  return Object.values(fields).every(
    (value) =>
      value === null ||
      value === undefined ||
      value === '' ||
      (Array.isArray(value) && value.length === 0) ||
      (isObject(value) && Object.keys(value).length === 0),
  );
}
