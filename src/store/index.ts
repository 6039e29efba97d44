/** The face of the room. */

export { type CopyReport, copyStore } from './copy-store.ts';
export { isRedisUrl, openStore } from './open.ts';
export type { Locks, Store, StoreDeps } from './store.ts';
