import { expect, it } from 'vitest';
import { createRunbooks, ofCategory, ofHost, type Runbook } from '../../../src/projects/runbooks.ts';

function stage(allowed: readonly string[], stored = new Map<string, Runbook>()) {
  const space = {
    set: async (key: string, value: Runbook) => void stored.set(key, value),
    delete: async (key: string) => void stored.delete(key),
    entries: async () => [...stored],
  };
  return { stored, runbooks: createRunbooks(space, allowed) };
}

it('are found by category first, then by host, and only while their address is allowed', async () => {
  const { stored, runbooks } = stage(['https://wiki.example.org']);
  await runbooks.set(ofHost({ id: 'h1', name: 'shop' }), 'https://wiki.example.org/shop', 'U1');
  await runbooks.set(ofCategory('sqli', 'SQL injection'), 'https://wiki.example.org/sqli', 'U1');
  const names = async (of: typeof runbooks, ...asked: Parameters<Awaited<ReturnType<typeof runbooks.finder>>>) =>
    (await of.finder())(...asked).map(({ name }) => name);
  expect(await names(runbooks, 'sqli', [{ id: 'h1' }])).toEqual(['SQL injection', 'shop']);
  expect(await names(runbooks, undefined, [{ name: 'shop' }])).toEqual(['shop']);
  expect(await names(runbooks, 'xss', [{ id: 'h2', name: 'blog' }])).toEqual([]);
  const { runbooks: later } = stage(['https://other.example.org'], stored);
  expect(await names(later, 'sqli', [{ id: 'h1' }])).toEqual([]);
  expect((await later.list()).map(({ isAllowed }) => isAllowed)).toEqual([false, false]);
});

it('are limited in number, but each can be replaced', async () => {
  const { runbooks } = stage(['https://wiki.example.org']);
  for (let at = 0; at < 200; at++)
    await runbooks.set(ofHost({ id: `h${at}`, name: `host ${at}` }), 'https://wiki.example.org/', 'U1');
  const more = () => runbooks.set(ofHost({ id: 'more', name: 'more' }), 'https://wiki.example.org/', 'U1');
  await expect(more()).rejects.toThrow('200 runbooks');
  await runbooks.set(ofHost({ id: 'h3', name: 'host 3' }), 'https://wiki.example.org/new', 'U1');
});
