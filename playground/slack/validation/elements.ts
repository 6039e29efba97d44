/** Interactive elements: buttons, menus and inputs of section, actions and input blocks. */
import { z } from 'zod';
import { richText } from './rich-text.ts';
import { chars, LIMITS, link, plainText, textObject } from './text.ts';

const confirm = z.strictObject({
  title: plainText(100),
  text: textObject(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});

const actionId = { action_id: chars(LIMITS.actionId).optional() };
const menu = { ...actionId, confirm: confirm.optional(), focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainText(150).optional() };
const many = { max_selected_items: z.int().min(1).optional() };
const dispatch = {
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).optional(),
    })
    .optional(),
};

const describedOption = { value: chars(150), description: plainText(75).optional() };
export const option = z.strictObject({ text: plainText(75), ...describedOption });
const richOption = z.strictObject({ text: textObject(75), ...describedOption });
const overflowOption = z.strictObject({ text: plainText(75), ...describedOption, url: link.optional() });
export const optionGroup = z.strictObject({ label: plainText(75), options: z.array(option).min(1).max(100) });

const choice = {
  options: z.array(option).min(1).max(100).optional(),
  option_groups: z.array(optionGroup).min(1).max(100).optional(),
};
const oneOfBoth = (value: { options?: unknown; option_groups?: unknown }) =>
  (value.options === undefined) !== (value.option_groups === undefined);
const oneOfBothOnly = { message: 'must provide exactly one of: options, option_groups' };
const filter = {
  filter: z
    .strictObject({
      include: z
        .array(z.enum(['im', 'mpim', 'private', 'public']))
        .min(1)
        .optional(),
      exclude_external_shared_channels: z.boolean().optional(),
      exclude_bot_users: z.boolean().optional(),
    })
    .optional(),
  default_to_current_conversation: z.boolean().optional(),
};
const respondable = { response_url_enabled: z.boolean().optional() };

export const button = z.strictObject({
  type: z.literal('button'),
  ...actionId,
  text: plainText(75),
  url: link.optional(),
  value: chars(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: confirm.optional(),
  accessibility_label: chars(75).optional(),
});

const type = <const T extends string>(name: T) => ({ type: z.literal(name) });

const staticSelect = z
  .strictObject({ ...type('static_select'), ...menu, ...placeholder, ...choice, initial_option: option.optional() })
  .refine(oneOfBoth, oneOfBothOnly);
const multiStaticSelect = z
  .strictObject({
    ...type('multi_static_select'),
    ...menu,
    ...placeholder,
    ...many,
    ...choice,
    initial_options: z.array(option).min(1).optional(),
  })
  .refine(oneOfBoth, oneOfBothOnly);

const usersSelect = z.strictObject({
  ...type('users_select'),
  ...menu,
  ...placeholder,
  initial_user: z.string().optional(),
});
const multiUsersSelect = z.strictObject({
  ...type('multi_users_select'),
  ...menu,
  ...placeholder,
  ...many,
  initial_users: z.array(z.string()).optional(),
});
const conversationsSelect = z.strictObject({
  ...type('conversations_select'),
  ...menu,
  ...placeholder,
  ...filter,
  ...respondable,
  initial_conversation: z.string().optional(),
});
const multiConversationsSelect = z.strictObject({
  ...type('multi_conversations_select'),
  ...menu,
  ...placeholder,
  ...filter,
  ...many,
  initial_conversations: z.array(z.string()).optional(),
});
const channelsSelect = z.strictObject({
  ...type('channels_select'),
  ...menu,
  ...placeholder,
  ...respondable,
  initial_channel: z.string().optional(),
});
const multiChannelsSelect = z.strictObject({
  ...type('multi_channels_select'),
  ...menu,
  ...placeholder,
  ...many,
  initial_channels: z.array(z.string()).optional(),
});
const minQuery = { min_query_length: z.int().min(0).optional() };
const externalSelect = z.strictObject({
  ...type('external_select'),
  ...menu,
  ...placeholder,
  ...minQuery,
  initial_option: option.optional(),
});
const multiExternalSelect = z.strictObject({
  ...type('multi_external_select'),
  ...menu,
  ...placeholder,
  ...minQuery,
  ...many,
  initial_options: z.array(option).min(1).optional(),
});
const datepicker = z.strictObject({
  ...type('datepicker'),
  ...menu,
  ...placeholder,
  initial_date: z.iso.date().optional(),
});
const timepicker = z.strictObject({
  ...type('timepicker'),
  ...menu,
  ...placeholder,
  initial_time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { message: 'must be a valid time in the format HH:mm' })
    .optional(),
  timezone: z.string().optional(),
});
const datetimepicker = z.strictObject({ ...type('datetimepicker'), ...menu, initial_date_time: z.int().optional() });
const checkboxes = z.strictObject({
  ...type('checkboxes'),
  ...menu,
  options: z.array(richOption).min(1).max(10),
  initial_options: z.array(richOption).min(1).optional(),
});
const radioButtons = z.strictObject({
  ...type('radio_buttons'),
  ...menu,
  options: z.array(richOption).min(1).max(10),
  initial_option: richOption.optional(),
});
const overflow = z.strictObject({
  ...type('overflow'),
  ...actionId,
  confirm: confirm.optional(),
  options: z.array(overflowOption).min(1).max(5),
});

const typed = { ...actionId, ...placeholder, ...dispatch, focus_on_load: z.boolean().optional() };
const plainTextInput = z.strictObject({
  ...type('plain_text_input'),
  ...typed,
  initial_value: z.string().max(3000).optional(),
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(3000).optional(),
  max_length: z.int().min(1).max(3000).optional(),
});
const numberInput = z.strictObject({
  ...type('number_input'),
  ...typed,
  is_decimal_allowed: z.boolean(),
  initial_value: z.string().optional(),
  min_value: z.string().optional(),
  max_value: z.string().optional(),
});
const emailInput = z.strictObject({ ...type('email_text_input'), ...typed, initial_value: z.string().optional() });
const urlInput = z.strictObject({ ...type('url_text_input'), ...typed, initial_value: z.string().optional() });

const richTextInput = z.strictObject({
  ...type('rich_text_input'),
  ...typed,
  initial_value: richText.optional(),
});
const fileInput = z.strictObject({
  ...type('file_input'),
  ...actionId,
  filetypes: z.array(z.string().min(1)).optional(),
  max_files: z.int().min(1).max(10).optional(),
});
const workflowButton = z.strictObject({
  ...type('workflow_button'),
  ...actionId,
  text: plainText(75),
  workflow: z.strictObject({
    trigger: z.strictObject({
      url: link,
      customizable_input_parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
    }),
  }),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: chars(75).optional(),
});

const selects = [
  staticSelect,
  multiStaticSelect,
  usersSelect,
  multiUsersSelect,
  conversationsSelect,
  multiConversationsSelect,
  channelsSelect,
  multiChannelsSelect,
  externalSelect,
  multiExternalSelect,
] as const;
const pickers = [datepicker, timepicker, checkboxes, radioButtons] as const;

export const ACTION_ELEMENTS = [button, ...selects, ...pickers, datetimepicker, overflow, workflowButton] as const;
export const ACCESSORY_ELEMENTS = [button, ...selects, ...pickers, overflow, workflowButton] as const;
export const INPUT_ELEMENTS = [
  ...selects,
  ...pickers,
  datetimepicker,
  plainTextInput,
  numberInput,
  emailInput,
  urlInput,
  richTextInput,
  fileInput,
] as const;

const feedbackButton = z.strictObject({
  text: plainText(75),
  value: chars(2000),
  accessibility_label: chars(75).optional(),
});
const feedbackButtons = z.strictObject({
  ...type('feedback_buttons'),
  ...actionId,
  positive_button: feedbackButton,
  negative_button: feedbackButton,
});
const iconButton = z.strictObject({
  ...type('icon_button'),
  ...actionId,
  icon: z.literal('trash'),
  text: plainText(75),
  value: chars(2000).optional(),
  confirm: confirm.optional(),
  accessibility_label: chars(75).optional(),
  visible_to_user_ids: z.array(z.string()).optional(),
});
export const CONTEXT_ACTION_ELEMENTS = [feedbackButtons, iconButton] as const;
