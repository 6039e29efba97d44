/** Buttons, menus and inputs as form controls. The page's script sends their changes as actions. */
import { isObject, type JsonObject, objectAt, objectsIn, stringAt } from '../../slack/json.ts';
import type { RenderContext } from './context.ts';
import { withEmoji } from './emoji.ts';
import { type Html, html } from './html.ts';
import { plainMrkdwn, renderMrkdwn } from './mrkdwn.ts';

export interface Place {
  readonly blockId: string;
  /** Whether a change is sent to the app immediately, or only with the whole form. */
  readonly dispatch: boolean;
  /** The id of the element that labels this one. */
  readonly labelledBy?: string | undefined;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

const labelOf = (object: JsonObject | undefined) =>
  withEmoji(stringAt(objectAt(object ?? {}, 'text') ?? {}, 'text') ?? '');
const choiceOf = (option: JsonObject): Choice => ({ value: String(option.value), label: labelOf(option) });

const optionsOf = (element: JsonObject) => objectsIn(element.options).map(choiceOf);
const valuesOf = (options: unknown) => objectsIn(options).map((option) => option.value);

/** The control's accessible name: its label, or else its own text. */
function named(place: Place, own: string): Html {
  return place.labelledBy === undefined ? html` aria-label="${own}"` : html` aria-labelledby="${place.labelledBy}"`;
}

/** The data attributes that the page's script needs. */
function marks(element: JsonObject, place: Place): Html {
  const confirm = objectAt(element, 'confirm');
  const textOf = (key: string) => stringAt(objectAt(confirm ?? {}, key) ?? {}, 'text');
  const question = textOf('text');
  return html`data-action="${String(element.action_id)}" data-block="${place.blockId}" data-type="${String(element.type)}"${
    place.dispatch && html` data-dispatch`
  }${question !== undefined && html` data-confirm="${question}" data-confirm-title="${textOf('title') ?? ''}" data-confirm-yes="${textOf('confirm') ?? ''}" data-confirm-no="${textOf('deny') ?? ''}" data-confirm-style="${stringAt(confirm ?? {}, 'style') ?? ''}"`}`;
}

/** The browser's own dialog shows no markup. */
function withPlainConfirmation(element: JsonObject, context: RenderContext): JsonObject {
  const confirm = objectAt(element, 'confirm');
  const text = objectAt(confirm ?? {}, 'text');
  if (confirm === undefined || text?.type !== 'mrkdwn') return element;
  return { ...element, confirm: { ...confirm, text: { ...text, text: plainMrkdwn(String(text.text), context) } } };
}

/** How each element type is rendered; an unknown type is shown by name. */
export function renderElement(source: JsonObject, place: Place, context: RenderContext): Html {
  const element = withPlainConfirmation(source, context);
  switch (element.type) {
    case 'button':
      return renderButton(element, place);
    case 'overflow':
      return html`<select class="overflow" ${marks(element, place)} aria-label="More"><option value="">⋯</option>${renderOptions(element, optionsOf(element), [])}</select>`;
    case 'checkboxes':
      return renderBoxes(element, place, 'checkbox', valuesOf(element.initial_options), context);
    case 'radio_buttons':
      return renderBoxes(element, place, 'radio', [objectAt(element, 'initial_option')?.value], context);
    case 'feedback_buttons':
      return renderFeedback(element, place);
    case 'plain_text_input':
      return element.multiline === true ? renderTextArea(element, place) : renderInput(element, place, 'text');
    default: {
      const type = String(element.type);
      const input = INPUTS[type];
      if (input !== undefined) return renderInput(element, place, ...input);
      const select = selectOf(type, element, context);
      return select === null
        ? html`<span class="unknown">[${type}]</span>`
        : renderSelect(element, place, select.choices, select.chosen, type.startsWith('multi_'));
    }
  }
}

/** The HTML input for each element type, and where its initial value is. */
const INPUTS: Readonly<Record<string, readonly [type: string, initial?: string]>> = {
  datepicker: ['date', 'initial_date'],
  timepicker: ['time', 'initial_time'],
  datetimepicker: ['datetime-local'],
  number_input: ['number'],
  email_text_input: ['email'],
  url_text_input: ['url'],
};

interface Select {
  readonly choices: readonly Choice[];
  readonly chosen: readonly unknown[];
}

function selectOf(type: string, element: JsonObject, { people, channels }: RenderContext): Select | null {
  const listed = (key: string) => (Array.isArray(element[key]) ? element[key] : []);
  const peopleChoices = people.map((person) => ({ value: person.id, label: person.realName }));
  const channelChoices = channels.map((channel) => ({ value: channel.id, label: `#${channel.name}` }));
  switch (type) {
    case 'static_select':
      return { choices: optionsOf(element), chosen: [objectAt(element, 'initial_option')?.value] };
    case 'multi_static_select':
      return { choices: optionsOf(element), chosen: valuesOf(element.initial_options) };
    case 'users_select':
      return { choices: peopleChoices, chosen: [element.initial_user] };
    case 'multi_users_select':
      return { choices: peopleChoices, chosen: listed('initial_users') };
    case 'conversations_select':
      return { choices: channelChoices, chosen: [element.initial_conversation] };
    case 'multi_conversations_select':
      return { choices: channelChoices, chosen: listed('initial_conversations') };
    case 'channels_select':
      return { choices: channelChoices, chosen: [element.initial_channel] };
    default:
      return null;
  }
}

const placeholderOf = (element: JsonObject) => stringAt(objectAt(element, 'placeholder') ?? {}, 'text') ?? '';

const nameFrom = (element: JsonObject, place: Place) =>
  named(place, placeholderOf(element) || String(element.action_id));

const renderInput = (element: JsonObject, place: Place, type: string, initial = 'initial_value') =>
  html`<input type="${type}" ${marks(element, place)}${nameFrom(element, place)} placeholder="${placeholderOf(element)}" value="${stringAt(element, initial) ?? ''}">`;

const renderTextArea = (element: JsonObject, place: Place) =>
  html`<textarea rows="4" ${marks(element, place)}${nameFrom(element, place)} placeholder="${placeholderOf(element)}">${stringAt(element, 'initial_value') ?? ''}</textarea>`;

function renderSelect(
  element: JsonObject,
  place: Place,
  choices: readonly Choice[],
  chosen: readonly unknown[],
  many: boolean,
): Html {
  return html`<select ${marks(element, place)}${many && html` multiple size="${Math.min(5, choices.length)}"`}${nameFrom(element, place)}>${
    !many && html`<option value="">${placeholderOf(element) || 'Choose…'}</option>`
  }${renderOptions(element, choices, chosen)}</select>`;
}

function renderFeedback(element: JsonObject, place: Place): Html {
  return html`${(['positive_button', 'negative_button'] as const).map((key) => {
    const button = objectAt(element, key);
    return html`<button type="button" class="button quiet" ${marks(element, place)} data-choice="${String(button?.value)}">${labelOf(
      button,
    )}</button>`;
  })}`;
}

function renderButton(element: JsonObject, place: Place): Html {
  const style = element.style === 'primary' || element.style === 'danger' ? element.style : '';
  const url = stringAt(element, 'url');
  const label = labelOf(element);
  return url !== undefined && /^https?:/i.test(url)
    ? html`<a class="button ${style}" href="${url}" target="_blank" rel="noopener noreferrer" ${marks(element, place)}>${label}</a>`
    : html`<button type="button" class="button ${style}" ${marks(element, place)}>${label}</button>`;
}

function renderOptions(element: JsonObject, choices: readonly Choice[], chosen: readonly unknown[]): readonly Html[] {
  const one = ({ value, label }: Choice) =>
    html`<option value="${value}"${chosen.includes(value) && html` selected`}>${label}</option>`;
  const groups = objectsIn(element.option_groups).map(
    (group) =>
      html`<optgroup label="${stringAt(objectAt(group, 'label') ?? {}, 'text') ?? ''}">${objectsIn(group.options)
        .map(choiceOf)
        .map(one)}</optgroup>`,
  );
  return [...choices.map(one), ...groups];
}

/** Labels of checkboxes and radio buttons may have markup; those of menus may not. */
function renderLabel(option: JsonObject, context: RenderContext): Html {
  const text = objectAt(option, 'text');
  return text?.type === 'mrkdwn' ? renderMrkdwn(stringAt(text, 'text') ?? '', context) : html`${labelOf(option)}`;
}

function renderBoxes(
  element: JsonObject,
  place: Place,
  type: 'checkbox' | 'radio',
  chosen: readonly unknown[],
  context: RenderContext,
): Html {
  const name = `${place.blockId}/${String(element.action_id)}`;
  const boxes = objectsIn(element.options).map((option) => {
    const description = isObject(option.description) ? stringAt(option.description, 'text') : undefined;
    return html`<label><input type="${type}" name="${name}" value="${String(option.value)}"${
      chosen.includes(option.value) && html` checked`
    }> ${renderLabel(option, context)}${description !== undefined && html`<small>${description}</small>`}</label>`;
  });
  const role = type === 'radio' ? 'radiogroup' : 'group';
  return html`<span class="boxes" role="${role}"${named(place, String(element.action_id))} ${marks(element, place)}>${boxes}</span>`;
}
