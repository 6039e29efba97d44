/** The face of the room. */
export { isRedisUrl, openStore } from './open.ts';
export type { Claims, Store, StoreDeps, StoreLog } from './store.ts';
