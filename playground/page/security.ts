/** The page is for one person on one machine: nothing from elsewhere may load into it, and no other site may use it. */
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
 * A name that resolves to this machine by trick is refused (DNS rebinding), unless the page was bound to the outside
 * on purpose; another site's script is refused by its Origin, and by the content type it could not send unasked.
 */
export function isAllowed(request: IncomingMessage, boundToLoopback: boolean): boolean {
  const host = request.headers.host ?? '';
  if (boundToLoopback && !LOOPBACK.test(host)) return false;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false;
  return request.method !== 'POST' || (request.headers['content-type'] ?? '').startsWith('application/json');
}
