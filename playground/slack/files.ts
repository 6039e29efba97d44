/** Uploaded files through their states: announced, uploaded, completed, and after a while ready to be shown. */
import { typeOfFile } from './file-types.ts';
import type { Ids } from './ids.ts';

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly altText?: string | undefined;
  readonly length: number;
  readonly bytes: Buffer | undefined;
  readonly state: 'announced' | 'uploaded' | 'completed';
  /** Slack processes a file before it can be shown; until then it has no type, and blocks that use it are refused. */
  readonly ready: boolean;
  readonly channels: readonly string[];
  /** The person who uploaded it; undefined if it was the app. */
  readonly user?: string;
}

/** How many inspections find a completed file not ready yet; `held`: until `release`. */
export type Readiness = number | 'held' | 'never';

export interface Files {
  announce(input: {
    readonly name: string;
    readonly length: number;
    readonly altText?: string | undefined;
  }): StoredFile;
  /** A file of a person, ready at once. */
  put(input: { readonly name: string; readonly bytes: Uint8Array; readonly user: string }): StoredFile;
  remove(id: string): void;
  upload(id: string, bytes: Buffer): StoredFile | undefined;
  complete(id: string, title: string | undefined): StoredFile | undefined;
  /** Returns the file and counts towards its readiness. */
  inspect(id: string): StoredFile | undefined;
  get(id: string): StoredFile | undefined;
  share(id: string, channel: string): void;
  all(): readonly StoredFile[];
  setReadiness(readiness: Readiness): void;
  /** Makes completed files ready now, and later ones as soon as they are completed. */
  release(): void;
  /** Forgets the content; an app may still show a file it uploaded before. */
  clear(): void;
}

export function createFiles(deps: {
  readonly ids: Ids;
  readonly readiness: Readiness;
  readonly changed: (file: StoredFile) => void;
}): Files {
  const files = new Map<string, StoredFile>();
  const inspections = new Map<string, number>();
  let readiness = deps.readiness;

  const change = (id: string, next: (file: StoredFile) => StoredFile): StoredFile | undefined => {
    const file = files.get(id);
    if (file === undefined) return undefined;
    const changed = next(file);
    files.set(id, changed);
    if (changed !== file) deps.changed(changed);
    return changed;
  };

  return {
    announce({ name, length, altText }) {
      const id = deps.ids.next('F');
      const file: StoredFile = {
        id,
        name,
        title: name,
        altText,
        length,
        bytes: undefined,
        state: 'announced',
        ready: false,
        channels: [],
      };
      files.set(id, file);
      return file;
    },
    put({ name, bytes, user }) {
      const id = deps.ids.next('F');
      const rest = { length: bytes.length, bytes: Buffer.from(bytes), state: 'completed', ready: true } as const;
      const file: StoredFile = { id, name, title: name, ...rest, channels: [], user };
      files.set(id, file);
      deps.changed(file);
      return file;
    },
    remove: (id) => void files.delete(id),
    upload: (id, bytes) => change(id, (file) => ({ ...file, bytes, state: 'uploaded' })),
    complete: (id, title) =>
      change(id, (file) => ({ ...file, title: title ?? file.name, state: 'completed', ready: readiness === 0 })),
    inspect(id) {
      return change(id, (file) => {
        if (file.ready || file.state !== 'completed' || typeof readiness !== 'number') return file;
        const count = (inspections.get(id) ?? 0) + 1;
        inspections.set(id, count);
        return count > readiness ? { ...file, ready: true } : file;
      });
    },
    get: (id) => files.get(id),
    share: (id, channel) =>
      void change(id, (file) =>
        file.channels.includes(channel) ? file : { ...file, channels: [...file.channels, channel] },
      ),
    all: () => [...files.values()],
    clear() {
      for (const [id, file] of files) files.set(id, { ...file, bytes: undefined });
      inspections.clear();
    },
    setReadiness(next) {
      readiness = next;
    },
    release() {
      readiness = 0;
      for (const id of files.keys())
        change(id, (file) => (file.state === 'completed' ? { ...file, ready: true } : file));
    },
  };
}

export function isPicture(file: StoredFile): boolean {
  return typeOfFile(file.name).mimetype.startsWith('image/');
}
