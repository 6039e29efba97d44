/** Locks on SQLite: one conditional statement each, so that nothing can happen between checking and taking. */
import type { Locks } from '../store.ts';
import type { Statements } from './statements.ts';

export function createSqliteLocks(db: Statements, nowMs: () => number): Locks {
  // The file belongs to this process alone: whoever left a lease behind is dead, and its work may be taken over at once.
  db.exec('DELETE FROM claims WHERE expires IS NOT NULL');

  const alive = '(expires IS NULL OR expires > :now)';
  const take = db.prepare(`INSERT INTO claims (key, owner, expires) VALUES (:key, :owner, :expires)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires
    WHERE claims.expires IS NOT NULL AND claims.expires <= :now`);
  const extend = db.prepare(`UPDATE claims SET expires = :expires WHERE key = :key AND owner = :owner AND ${alive}`);
  const drop = db.prepare(`DELETE FROM claims WHERE key = :key AND owner = :owner AND ${alive}`);
  const expiry = (ttlMs: number | undefined) => (ttlMs === undefined ? null : nowMs() + ttlMs);

  return {
    acquire: async (key, owner, ttlMs) => take.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    renew: async (key, owner, ttlMs) => extend.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    release: async (key, owner) => drop.run({ key, owner, now: nowMs() }).changes === 1,
  };
}
