/**
 * The identity service: issues project-scoped tokens for user names and passwords, and locks an account after three
 * wrong passwords within 15 minutes.
 */
import { createHash } from 'node:crypto';
import { type Answer, refuse } from './refusals.ts';

const LOCK_AFTER_FAILURES = 3;
const LOCK_WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;

export interface User {
  readonly username: string;
  readonly password: string;
  readonly domainName: string;
  /** Console access only: the right password is refused with `IAM.0081`. */
  readonly consoleOnly?: boolean;
}

export interface IdentityOptions {
  users: readonly User[];
  readonly projectId: string;
  readonly now: () => number;
  readonly tokenLifeMs: number;
  /** Length of a token; real ones can be longer than 16 KiB. */
  readonly tokenLength: number;
}

export type TokenState = 'good' | 'unknown' | 'expired' | 'revoked';

interface TokenRequest {
  readonly username: string;
  readonly password: string;
  readonly domainName: string;
  readonly projectId: string | undefined;
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

function readTokenRequest(body: unknown): TokenRequest | undefined {
  const methods = at(body, 'auth', 'identity', 'methods');
  const username = at(body, 'auth', 'identity', 'password', 'user', 'name');
  const password = at(body, 'auth', 'identity', 'password', 'user', 'password');
  const domainName = at(body, 'auth', 'identity', 'password', 'user', 'domain', 'name');
  const projectId = at(body, 'auth', 'scope', 'project', 'id');
  if (!Array.isArray(methods) || !methods.includes('password')) return undefined;
  if (typeof username !== 'string' || typeof password !== 'string' || typeof domainName !== 'string') return undefined;
  return { username, password, domainName, projectId: typeof projectId === 'string' ? projectId : undefined };
}

export function createIdentity(options: IdentityOptions) {
  const tokens = new Map<string, { expiresMs: number; revoked: boolean }>();
  const failures = new Map<string, number[]>();
  const lockedUntil = new Map<string, number>();
  let issued = 0;

  /** Looks like a real token (base64), and is the same in every run. */
  function mintToken(): string {
    issued += 1;
    let text = 'MII';
    for (let part = 0; text.length < options.tokenLength; part++) {
      text += createHash('sha256').update(`token ${issued} ${part}`).digest('base64').replace(/=/g, '-');
    }
    return text.slice(0, options.tokenLength);
  }

  function fail(account: string, nowMs: number): Answer {
    const recent = [...(failures.get(account) ?? []), nowMs].filter((failedMs) => failedMs > nowMs - LOCK_WINDOW_MS);
    failures.set(account, recent);
    if (recent.length >= LOCK_AFTER_FAILURES) lockedUntil.set(account, nowMs + LOCK_MS);
    return refuse('IAM.password');
  }

  return {
    issue(body: unknown): Answer {
      const nowMs = options.now();
      const request = readTokenRequest(body);
      if (request === undefined) return refuse('IAM.request');
      const account = `${request.domainName}/${request.username}`;
      if ((lockedUntil.get(account) ?? 0) > nowMs) return refuse('IAM.0061');
      const user = options.users.find(
        (known) => known.username === request.username && known.domainName === request.domainName,
      );
      if (user === undefined || user.password !== request.password) return fail(account, nowMs);
      failures.delete(account);
      if (user.consoleOnly === true) return refuse('IAM.0081');
      if (request.projectId === undefined) return refuse('IAM.request', { message: 'The scope must be a project.' });
      if (request.projectId !== options.projectId) {
        return refuse('IAM.request', { status: 404, message: 'Could not find the project.' });
      }
      const token = mintToken();
      const expiresMs = nowMs + options.tokenLifeMs;
      tokens.set(token, { expiresMs, revoked: false });
      // Six fraction digits, as the service writes them.
      const stamp = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');
      return {
        status: 201,
        headers: { 'x-subject-token': token },
        body: {
          token: {
            methods: ['password'],
            expires_at: stamp(expiresMs),
            issued_at: stamp(nowMs),
            user: { name: user.username, domain: { name: user.domainName } },
            project: { id: options.projectId },
          },
        },
      };
    },
    stateOf(token: string): TokenState {
      const known = tokens.get(token);
      if (known === undefined) return 'unknown';
      if (known.revoked) return 'revoked';
      return known.expiresMs <= options.now() ? 'expired' : 'good';
    },
    /** Revokes all issued tokens, as a change of password or permissions does. */
    revokeAll(): void {
      for (const token of tokens.values()) token.revoked = true;
    },
    isLocked(user: User): boolean {
      return (lockedUntil.get(`${user.domainName}/${user.username}`) ?? 0) > options.now();
    },
    get issued(): number {
      return issued;
    },
  };
}

export type Identity = ReturnType<typeof createIdentity>;
