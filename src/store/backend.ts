/**
 * What a database must bring to become a Store: a Keyv adapter a space, and the same entries as raw text, readable
 * and exchangeable in one atomic step. Everything else is built once, in spaces.ts.
 */
import type { KeyvStoreAdapter } from 'keyv';
import type { Locks } from './store.ts';

export interface Backend {
  /** A fresh adapter object: two Keyvs on one object would clear each other's entries. */
  adapter(space: string): KeyvStoreAdapter;
  read(space: string, key: string): Promise<string | undefined>;
  /** Sets the text to `next` only if it still is `expected`; `undefined` stands for no entry on either side. */
  swap(space: string, key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
  entries(space: string): AsyncIterable<readonly [key: string, text: string]>;
  spaces(): Promise<readonly string[]>;
  readonly locks: Locks;
  readonly exclusive: boolean;
  ping(): Promise<void>;
  close(): Promise<void>;
}
