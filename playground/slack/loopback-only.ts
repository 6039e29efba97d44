/**
 * Restricts a server on loopback to programs on this machine. A website in a browser can reach loopback too: through its
 * own name that resolves to it (DNS rebinding), visible in the Host header, or with a script, visible in Origin.
 */
import type { IncomingMessage } from 'node:http';

const LOOPBACK_AUTHORITY = /^(localhost|127(?:\.\d+){3}|\[::1\])(:\d+)?$/i;

/** `boundTo` is the address the server listens on; one that's deliberately open to others accepts any name. */
export function isForeign(request: IncomingMessage, boundTo: string): boolean {
  const { host = '', origin } = request.headers;
  const boundToLoopback = boundTo === 'localhost' || boundTo === '::1' || boundTo.startsWith('127.');
  if (boundToLoopback && !LOOPBACK_AUTHORITY.test(host)) return true;
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}

/** The request's URL; `null` for an invalid target such as `//`. */
export function targetOf(request: IncomingMessage): URL | null {
  const { url = '' } = request;
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : null;
}
