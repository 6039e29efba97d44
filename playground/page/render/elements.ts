/** Buttons, menus and inputs as form controls. The page's script sends their changes as actions. */
import { isObject, type JsonObject, objectAt, objectsIn, stringAt } from '../../slack/json.ts';
import type { RenderContext } from './context.ts';
import { withEmoji } from './emoji.ts';
import { type Html, html } from './html.ts';
import { renderMrkdwn } from './mrkdwn.ts';

export interface Place {
  readonly blockId: string;
  /** Whether a change is dispatched to the app at once, or only with the whole form. */
  readonly dispatch: boolean;
  /** The id of the element that says what is asked for. */
  readonly labelledBy?: string | undefined;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

const labelOf = (object: JsonObject | undefined) =>
  withEmoji(stringAt(objectAt(object ?? {}, 'text') ?? {}, 'text') ?? '');
const choiceOf = (option: JsonObject): Choice => ({ value: String(option.value), label: labelOf(option) });

const valuesOf = (options: unknown) => objectsIn(options).map((option) => option.value);

/** What the control is for: its label, or else its own words. */
function named(place: Place, own: string): Html {
  return place.labelledBy === undefined ? html` aria-label="${own}"` : html` aria-labelledby="${place.labelledBy}"`;
}

/** The data attributes that the script needs. */
function marks(element: JsonObject, place: Place): Html {
  const confirm = objectAt(element, 'confirm');
  const said = (key: string) => stringAt(objectAt(confirm ?? {}, key) ?? {}, 'text');
  const question = said('text');
  return html`data-action="${String(element.action_id)}" data-block="${place.blockId}" data-type="${String(element.type)}"${
    place.dispatch && html` data-dispatch`
  }${question !== undefined && html` data-confirm="${question}" data-confirm-title="${said('title') ?? ''}" data-confirm-yes="${said('confirm') ?? ''}" data-confirm-no="${said('deny') ?? ''}"`}`;
}

export function renderElement(element: JsonObject, place: Place, context: RenderContext): Html {
  const placeholder = stringAt(objectAt(element, 'placeholder') ?? {}, 'text') ?? '';
  const text = (type: string, initial = 'initial_value') =>
    html`<input type="${type}" ${marks(element, place)}${named(place, placeholder || String(element.action_id))} placeholder="${placeholder}" value="${stringAt(element, initial) ?? ''}">`;
  const select = (choices: readonly Choice[], chosen: readonly unknown[], many = false) =>
    html`<select ${marks(element, place)}${many && html` multiple size="${Math.min(5, choices.length)}"`}${named(place, placeholder || String(element.action_id))}>${
      !many && html`<option value="">${placeholder || 'Choose…'}</option>`
    }${renderOptions(element, choices, chosen)}</select>`;
  const people = context.people.map((person) => ({ value: person.id, label: person.realName }));
  const channels = context.channels.map((channel) => ({ value: channel.id, label: `#${channel.name}` }));
  const options = objectsIn(element.options).map(choiceOf);
  const listed = (key: string) => (Array.isArray(element[key]) ? element[key] : []);

  switch (element.type) {
    case 'button':
      return renderButton(element, place);
    case 'static_select':
      return select(options, [objectAt(element, 'initial_option')?.value]);
    case 'multi_static_select':
      return select(
        options,
        objectsIn(element.initial_options).map((option) => option.value),
        true,
      );
    case 'users_select':
      return select(people, [element.initial_user]);
    case 'multi_users_select':
      return select(people, listed('initial_users'), true);
    case 'conversations_select':
      return select(channels, [element.initial_conversation]);
    case 'multi_conversations_select':
      return select(channels, listed('initial_conversations'), true);
    case 'channels_select':
      return select(channels, [element.initial_channel]);
    case 'overflow':
      return html`<select class="overflow" ${marks(element, place)} aria-label="More"><option value="">⋯</option>${renderOptions(element, options, [])}</select>`;
    case 'checkboxes':
      return renderBoxes(element, place, 'checkbox', valuesOf(element.initial_options), context);
    case 'radio_buttons':
      return renderBoxes(element, place, 'radio', [objectAt(element, 'initial_option')?.value], context);
    case 'datepicker':
      return text('date', 'initial_date');
    case 'timepicker':
      return text('time', 'initial_time');
    case 'datetimepicker':
      return text('datetime-local');
    case 'number_input':
      return text('number');
    case 'email_text_input':
      return text('email');
    case 'url_text_input':
      return text('url');
    case 'plain_text_input':
      return element.multiline === true
        ? html`<textarea rows="4" ${marks(element, place)}${named(place, placeholder || String(element.action_id))} placeholder="${placeholder}">${stringAt(element, 'initial_value') ?? ''}</textarea>`
        : text('text');
    case 'feedback_buttons':
      return html`${(['positive_button', 'negative_button'] as const).map((key) => {
        const button = objectAt(element, key);
        return html`<button type="button" class="button quiet" ${marks(element, place)} data-choice="${String(button?.value)}">${labelOf(
          button,
        )}</button>`;
      })}`;
    default:
      return html`<span class="unknown">[${String(element.type)}]</span>`;
  }
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
