/** Rich text: runs of styled text in sections, lists, quotes and preformatted parts. */
import { z } from 'zod';
import { blockId, link } from './text.ts';

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
    highlight: z.boolean().optional(),
    client_highlight: z.boolean().optional(),
    unlink: z.boolean().optional(),
  })
  .optional();

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style });
const anchor = z.strictObject({
  type: z.literal('link'),
  url: link,
  text: z.string().optional(),
  unsafe: z.boolean().optional(),
  style,
});
const run = z.discriminatedUnion('type', [
  text,
  anchor,
  z.strictObject({ type: z.literal('user'), user_id: z.string(), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string(), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.string(), style }),
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style }),
  z.strictObject({ type: z.literal('color'), value: z.string(), style }),
  z.strictObject({
    type: z.literal('emoji'),
    name: z.string(),
    unicode: z.string().optional(),
    url: z.string().optional(),
    style,
  }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: z.string(),
    url: link.optional(),
    fallback: z.string().optional(),
    style,
  }),
]);

const border = z.int().min(0).max(1).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(run) });

export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: blockId,
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section),
          indent: z.int().min(0).max(8).optional(),
          offset: z.int().min(0).optional(),
          border,
        }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(run), border }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(z.discriminatedUnion('type', [text, anchor])),
          border,
          language: z.string().optional(),
        }),
      ]),
    )
    .min(1),
});
