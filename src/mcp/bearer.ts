/** The bearer token of the HTTP server, compared in constant time. */
import { hash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Digests have one length, so the comparison doesn't show that of the token. */
export function bearerCheck(token: string): (headers: Headers) => boolean {
  const expected = digest(token);
  return (headers) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), expected);
  };
}
