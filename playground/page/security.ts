/**
 * Protects the page from other sites: it loads nothing from elsewhere, and no other origin may call it. Pictures may also be
 * what the page itself has drawn.
 */
import type { IncomingMessage } from 'node:http';
import { isForeign } from '../slack/loopback-only.ts';

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Rejects other origins; also POSTs whose content type a foreign script could send without a preflight request. */
export function isAllowed(request: IncomingMessage, boundTo: string): boolean {
  if (isForeign(request, boundTo)) return false;
  return request.method !== 'POST' || (request.headers['content-type'] ?? '').startsWith('application/json');
}
