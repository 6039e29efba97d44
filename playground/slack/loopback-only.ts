/**
 * Keeps a server on loopback to the programs of this machine. A site in a browser can reach loopback too: under a name of
 * its own that resolves to it (DNS rebinding), which shows in the Host header, or by a script, which shows in Origin.
 */
import type { IncomingMessage } from 'node:http';

const LOOPBACK_AUTHORITY = /^(localhost|127(?:\.\d+){3}|\[::1\])(:\d+)?$/i;

/** `boundTo` is the address the server listens on; one that is open to others on purpose answers to any name. */
export function isForeign(request: IncomingMessage, boundTo: string): boolean {
  const { host = '', origin } = request.headers;
  const boundToLoopback = boundTo === 'localhost' || boundTo === '::1' || boundTo.startsWith('127.');
  if (boundToLoopback && !LOOPBACK_AUTHORITY.test(host)) return true;
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}

/** What was asked for; `null` for a target such as `//` that is no address. */
export function targetOf(request: IncomingMessage): URL | null {
  return URL.parse(request.url ?? '', 'http://localhost');
}
