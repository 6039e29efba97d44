/** Uploaded files: announced, filled, completed, and only some time later ready to be shown. */
import { typeOfFile } from '../file-types.ts';
import type { Ids } from './ids.ts';

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly altText?: string | undefined;
  readonly length: number;
  readonly bytes: Buffer | undefined;
  readonly state: 'announced' | 'uploaded' | 'completed';
  /** Slack looks at a file before it may be shown; until then it has no type and blocks with it are refused. */
  readonly ready: boolean;
  readonly channels: readonly string[];
}

/** After how many looks a completed file is ready; `held` until released, `never`. */
export type Readiness = number | 'held' | 'never';

export interface Files {
  announce(input: {
    readonly name: string;
    readonly length: number;
    readonly altText?: string | undefined;
  }): StoredFile;
  upload(id: string, bytes: Buffer): StoredFile | undefined;
  complete(id: string, title: string | undefined): StoredFile | undefined;
  /** One look at the file; enough of them make it ready. */
  look(id: string): StoredFile | undefined;
  get(id: string): StoredFile | undefined;
  share(id: string, channel: string): void;
  all(): readonly StoredFile[];
  setReadiness(readiness: Readiness): void;
  /** Makes every completed file ready now, and later ones at once. */
  release(): void;
}

export function createFiles(deps: {
  readonly ids: Ids;
  readonly readiness: Readiness;
  readonly changed: (file: StoredFile) => void;
}): Files {
  const files = new Map<string, StoredFile>();
  const looks = new Map<string, number>();
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
    upload: (id, bytes) => change(id, (file) => ({ ...file, bytes, state: 'uploaded' })),
    complete: (id, title) =>
      change(id, (file) => ({ ...file, title: title ?? file.name, state: 'completed', ready: readiness === 0 })),
    look(id) {
      return change(id, (file) => {
        if (file.ready || file.state !== 'completed' || typeof readiness !== 'number') return file;
        const seen = (looks.get(id) ?? 0) + 1;
        looks.set(id, seen);
        return seen > readiness ? { ...file, ready: true } : file;
      });
    },
    get: (id) => files.get(id),
    share: (id, channel) =>
      void change(id, (file) =>
        file.channels.includes(channel) ? file : { ...file, channels: [...file.channels, channel] },
      ),
    all: () => [...files.values()],
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
