/** Links to runbooks, for a category or a host of a project. They are checked when they're set and again when they're shown. */
import { BotError } from '../errors.ts';
import type { Host } from '../grammar/hosts.ts';
import type { KeyValueStore } from '../store/create-store.ts';

export interface Runbook {
  /** What it's for, as people read it: the category or the host. */
  readonly name: string;
  readonly url: string;
  /** The ID of the user who set it. */
  readonly by: string;
}

export interface ListedRunbook extends Runbook {
  readonly key: string;
  /** False if the operator no longer allows its address, so that it isn't shown. */
  readonly isAllowed: boolean;
}

export interface LinkedRunbook extends Pick<Runbook, 'name' | 'url'> {
  /** The field of the category, or the ID of the host. */
  readonly of: string;
}

export interface RunbookSubject {
  readonly key: string;
  readonly name: string;
}

export const ofCategory = (field: string, name: string): RunbookSubject => ({ key: `category/${field}`, name });
export const ofHost = ({ id, name }: Host): RunbookSubject => ({ key: `host/${id}`, name });

const SETTING = 'WAFBOT_RUNBOOK_HOSTS';
const MAX_RUNBOOKS = 200;
const MAX_LENGTH = 500;

type RunbookSpace = Pick<KeyValueStore<Runbook>, 'set' | 'delete' | 'entries'>;

export type Runbooks = ReturnType<typeof createRunbooks>;

/** `allowed`: schemes with hosts, such as `https://wiki.example.org`. */
export function createRunbooks(space: RunbookSpace, allowed: readonly string[]) {
  const isAllowed = (url: string): boolean => allowed.includes(URL.parse(url)?.origin ?? '');
  const list = async (): Promise<readonly ListedRunbook[]> =>
    (await space.entries())
      .map(([key, runbook]) => ({ key, ...runbook, isAllowed: isAllowed(runbook.url) }))
      .toSorted((a, b) => a.key.localeCompare(b.key));
  return {
    list,
    async set({ key, name }: RunbookSubject, typed: string, by: string): Promise<Runbook> {
      const runbook = { name, url: checkedUrl(typed, allowed), by };
      const existing = await list();
      if (existing.length >= MAX_RUNBOOKS && !existing.some((each) => each.key === key)) {
        throw new BotError('limit', `There are already ${MAX_RUNBOOKS} runbooks, the maximum.`, {
          hint: 'Remove one first: `runbooks` lists them.',
        });
      }
      await space.set(key, runbook);
      return runbook;
    },
    remove: (key: string) => space.delete(key),
    /** For a form; `null` if no address is allowed. */
    linked: async (): Promise<readonly LinkedRunbook[] | null> =>
      allowed.length === 0
        ? null
        : (await list()).map(({ key, name, url }) => ({ of: key.replace(/^\w+\//, ''), name, url })),
    /** Reads those that may be shown. Finds that of the category, then those of the hosts, which may be known by name only. */
    async finder() {
      const all = (await list()).filter((runbook) => runbook.isAllowed);
      return (category: string | undefined, hosts: readonly Partial<Host>[]): readonly Runbook[] => {
        const isAbout = ({ key, name }: ListedRunbook): boolean =>
          hosts.some((host) => key === `host/${host.id}` || (key.startsWith('host/') && name === host.name));
        return [...all.filter(({ key }) => key === `category/${category}`), ...all.filter(isAbout)];
      };
    },
  };
}

/** Only http(s) addresses of an allowed host, without a password, and without characters that could end a link early. */
function checkedUrl(typed: string, allowed: readonly string[]): string {
  if (allowed.length === 0) {
    throw new BotError('limit', 'Links to runbooks aren’t allowed yet.', {
      hint: `Whoever runs the bot can allow addresses with ${SETTING}, for example https://wiki.example.org.`,
    });
  }
  const url = URL.parse(typed);
  if (url === null || !/^https?:$/.test(url.protocol) || typed.length > MAX_LENGTH) {
    throw new BotError('usage', 'That isn’t a web address.', {
      hint: `Type it in full, with https:// and up to ${MAX_LENGTH} characters.`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new BotError('usage', 'An address with a name or password in it would be shown to everyone.', {
      hint: 'Type it without them.',
    });
  }
  if (!allowed.includes(url.origin)) {
    throw new BotError('limit', `I may not link to ${url.host}.`, {
      hint: `Allowed: ${allowed.join(', ')}. Whoever runs the bot can add others to ${SETTING}.`,
    });
  }
  return url.href.replaceAll('|', '%7C');
}
