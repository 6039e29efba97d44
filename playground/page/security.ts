/** Protects the page from other sites: nothing foreign is loaded into it, and no other origin may call it. */
import type { IncomingMessage } from 'node:http';

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const LOOPBACK = /^(localhost|127(?:\.\d+){3}|\[::1\])(:\d+)?$/;

/**
 * Refuses foreign host names (DNS rebinding) unless the page was bound to a public address on purpose, and scripts of
 * other sites by their Origin and by a content type that they cannot send without a preflight request.
 */
export function isAllowed(request: IncomingMessage, boundToLoopback: boolean): boolean {
  const host = request.headers.host ?? '';
  if (boundToLoopback && !LOOPBACK.test(host)) return false;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false;
  return request.method !== 'POST' || (request.headers['content-type'] ?? '').startsWith('application/json');
}
