/** Every block type, and the surfaces it may be used on. */
import { z } from 'zod';
import { dataVisualizationBlock } from './charts.ts';
import { ACCESSORY_ELEMENTS, ACTION_ELEMENTS, button, CONTEXT_ACTION_ELEMENTS, INPUT_ELEMENTS } from './elements.ts';
import { imageBlock, imageElement } from './images.ts';
import { richText } from './rich-text.ts';
import { dataTableBlock, tableBlock } from './tables.ts';
import { blockId, chars, LIMITS, link, mrkdwn, plainText, textObject } from './text.ts';

const section = z
  .strictObject({
    type: z.literal('section'),
    block_id: blockId,
    text: textObject(LIMITS.anyText).optional(),
    fields: z.array(textObject(2000)).min(1).max(10).optional(),
    accessory: z.discriminatedUnion('type', [imageElement, ...ACCESSORY_ELEMENTS]).optional(),
    expand: z.boolean().optional(),
  })
  .refine((block) => block.text !== undefined || block.fields !== undefined, {
    message: 'missing required field: text or fields',
  });

const header = z.strictObject({ type: z.literal('header'), block_id: blockId, text: plainText(150) });
const divider = z.strictObject({ type: z.literal('divider'), block_id: blockId });

const context = z.strictObject({
  type: z.literal('context'),
  block_id: blockId,
  elements: z
    .array(z.discriminatedUnion('type', [imageElement, plainText(LIMITS.anyText), mrkdwn(LIMITS.anyText)]))
    .min(1)
    .max(10),
});

const actions = z.strictObject({
  type: z.literal('actions'),
  block_id: blockId,
  elements: z.array(z.discriminatedUnion('type', ACTION_ELEMENTS)).min(1).max(25),
});

const input = z.strictObject({
  type: z.literal('input'),
  block_id: blockId,
  label: plainText(2000),
  element: z.discriminatedUnion('type', INPUT_ELEMENTS),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
});

const markdown = z.strictObject({ type: z.literal('markdown'), block_id: blockId, text: chars(12_000) });

const contextActions = z.strictObject({
  type: z.literal('context_actions'),
  block_id: blockId,
  elements: z.array(z.discriminatedUnion('type', CONTEXT_ACTION_ELEMENTS)).min(1).max(5),
});

const alert = z.strictObject({
  type: z.literal('alert'),
  block_id: blockId,
  text: textObject(200),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
});

const card = z
  .strictObject({
    type: z.literal('card'),
    block_id: blockId,
    hero_image: imageElement.optional(),
    icon: imageElement.optional(),
    title: mrkdwn(150).optional(),
    subtitle: mrkdwn(150).optional(),
    body: mrkdwn(200).optional(),
    actions: z.array(button).min(1).max(25).optional(),
  })
  .refine((block) => [block.hero_image, block.title, block.actions, block.body].some((part) => part !== undefined), {
    message: 'missing required field: hero_image, title, actions or body',
  });

const carousel = z.strictObject({
  type: z.literal('carousel'),
  block_id: blockId,
  elements: z.array(card).min(1).max(10),
});

/** Of the documented child blocks, those that Slack's validator was seen to accept. */
const container = z
  .strictObject({
    type: z.literal('container'),
    block_id: blockId,
    title: plainText(150).optional(),
    rich_text_title: richText.optional(),
    subtitle: textObject(150).optional(),
    child_blocks: z
      .array(z.discriminatedUnion('type', [section, divider, imageBlock, actions, header, context, tableBlock]))
      .min(1)
      .max(10),
    width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
    icon: imageElement.optional(),
    is_collapsible: z.boolean().optional(),
    default_collapsed: z.boolean().optional(),
    has_header_divider: z.boolean().optional(),
  })
  .refine((block) => block.title === undefined || block.rich_text_title === undefined, {
    message: 'must provide only one of: title, rich_text_title',
  });

const video = z.strictObject({
  type: z.literal('video'),
  block_id: blockId,
  alt_text: chars(LIMITS.altText),
  title: plainText(199),
  title_url: link.optional(),
  thumbnail_url: link,
  video_url: link,
  author_name: chars(49).optional(),
  description: plainText(199).optional(),
  provider_icon_url: link.optional(),
  provider_name: chars(LIMITS.anyText).optional(),
});

const taskCard = z.strictObject({
  type: z.literal('task_card'),
  block_id: blockId,
  task_id: chars(255),
  title: chars(LIMITS.anyText),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: richText.optional(),
  output: richText.optional(),
  sources: z.array(z.strictObject({ type: z.literal('url'), url: link, text: z.string() })).optional(),
});

const plan = z.strictObject({
  type: z.literal('plan'),
  block_id: blockId,
  title: chars(LIMITS.anyText),
  tasks: z.array(taskCard).optional(),
});

const everywhere = [section, header, divider, context, actions, input, imageBlock, richText, video] as const;

/** Without `alert` on purpose: sources disagree on whether a message may contain one. */
export const messageBlock = z.discriminatedUnion('type', [
  ...everywhere,
  markdown,
  tableBlock,
  dataTableBlock,
  dataVisualizationBlock,
  contextActions,
  card,
  carousel,
  container,
  taskCard,
  plan,
]);

export const modalBlock = z.discriminatedUnion('type', [...everywhere, alert]);

export const homeBlock = z.discriminatedUnion('type', everywhere);
