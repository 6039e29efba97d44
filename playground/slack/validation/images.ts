/** Images: either a public URL or an uploaded file, always with an alternative text. */
import { z } from 'zod';
import { blockId, chars, LIMITS, link, plainText, publicImageUrl } from './text.ts';

const slackFile = z
  .strictObject({
    id: z
      .string()
      .regex(/^F[A-Z0-9]{8,}$/, { message: 'invalid slack file' })
      .optional(),
    url: link.optional(),
  })
  .refine((file) => (file.id === undefined) !== (file.url === undefined), { message: 'invalid slack file' });

const source = { image_url: publicImageUrl.optional(), slack_file: slackFile.optional() };

const oneSource = (image: { image_url?: unknown; slack_file?: unknown }) =>
  (image.image_url === undefined) !== (image.slack_file === undefined);

const oneSourceOnly = { message: 'must provide exactly one of: image_url, slack_file' };

export const imageElement = z
  .strictObject({ type: z.literal('image'), alt_text: chars(LIMITS.altText), ...source })
  .refine(oneSource, oneSourceOnly);

export const imageBlock = z
  .strictObject({
    type: z.literal('image'),
    block_id: blockId,
    alt_text: chars(LIMITS.altText),
    title: plainText(2000).optional(),
    ...source,
  })
  .refine(oneSource, oneSourceOnly);
