/** Locks on SQLite: one conditional statement each, so that there is no moment between looking and taking. */
import type { DatabaseSync } from 'node:sqlite';
import type { Locks } from '../store.ts';

export function createSqliteLocks(db: DatabaseSync, nowMs: () => number): Locks {
  // The file is ours alone, so whoever left a lease behind is dead and its work may be taken up at once.
  db.exec('DELETE FROM claims WHERE expires IS NOT NULL');

  const alive = '(expires IS NULL OR expires > :now)';
  const take = db.prepare(`INSERT INTO claims (key, owner, expires) VALUES (:key, :owner, :expires)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires
    WHERE claims.expires IS NOT NULL AND claims.expires <= :now`);
  const extend = db.prepare(`UPDATE claims SET expires = :expires WHERE key = :key AND owner = :owner AND ${alive}`);
  const pass = db.prepare(`UPDATE claims SET owner = :to, expires = :expires
    WHERE key = :key AND owner = :from AND ${alive}`);
  const drop = db.prepare(`DELETE FROM claims WHERE key = :key AND owner = :owner AND ${alive}`);
  const look = db.prepare(`SELECT owner FROM claims WHERE key = :key AND ${alive}`);
  const some = db.prepare(
    `SELECT key, owner FROM claims WHERE substr(key, 1, length(:prefix)) = :prefix AND ${alive} ORDER BY key`,
  );
  const expiry = (ttlMs: number | undefined) => (ttlMs === undefined ? null : nowMs() + ttlMs);

  return {
    acquire: async (key, owner, ttlMs) => take.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    renew: async (key, owner, ttlMs) => extend.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    transfer: async (key, from, to, ttlMs) =>
      pass.run({ key, from, to, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    release: async (key, owner) => drop.run({ key, owner, now: nowMs() }).changes === 1,
    async holder(key) {
      const owner = look.get({ key, now: nowMs() })?.owner;
      return owner === undefined ? undefined : String(owner);
    },
    async *list(prefix) {
      for (const row of some.all({ prefix, now: nowMs() })) yield { key: String(row.key), owner: String(row.owner) };
    },
  };
}
