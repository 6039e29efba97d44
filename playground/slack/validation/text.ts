/** Text objects and strings with Slack's limits. Lengths are in UTF-16 units, the stricter way to count. */
import { z } from 'zod';

export const LIMITS = {
  blockId: 255,
  actionId: 255,
  url: 3000,
  anyText: 3000,
  altText: 2000,
} as const;

export const chars = (max: number, min = 1) => z.string().min(min).max(max);

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: chars(max), emoji: z.boolean().optional() });

export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: chars(max), verbatim: z.boolean().optional() });

export const textObject = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

export const blockId = chars(LIMITS.blockId).optional();

export const link = z
  .string()
  .max(LIMITS.url)
  .refine((url) => URL.canParse(url), { message: 'must be a valid URL' });

/** Slack's servers fetch images themselves, so a URL that only this machine can reach does not work. */
export const publicImageUrl = link.refine(isPublic, { message: 'downloading image failed' });

function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return true; // reported by `link`
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  if (!hostname.includes('.') || hostname.endsWith('.local')) return false;
  return !/^(127\.|10\.|0\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/.test(hostname);
}
