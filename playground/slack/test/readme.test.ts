/** The README shows code that the examples run, and names everything there is. */
import { readdirSync, readFileSync } from 'node:fs';
import { SUPPORTED_METHODS, startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const examples = readdirSync(new URL('examples/', root)).map((file) => ({
  file,
  code: readFileSync(new URL(`examples/${file}`, root), 'utf8'),
}));

const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

it.each(snippets)('the examples have %s', (snippet) => {
  expect(examples.some(({ code }) => code.includes(snippet))).toBe(true);
});

it('shows code', () => expect(snippets.length).toBeGreaterThan(8));

it('every example is a test, or used by one', () => {
  const used = examples.filter(({ file }) => {
    return examples.some(({ file: test, code }) => test.endsWith('.test.ts') && code.includes(`'./${file}'`));
  });
  const tests = examples.filter(({ file }) => file.endsWith('.test.ts'));
  expect([...tests, ...used].length).toBe(examples.length);
});

it('names every method of the Web API', () => {
  const section = readme.slice(readme.indexOf('## Web API methods'), readme.indexOf("## What it doesn't do"));
  const named = [...section.matchAll(/`([a-z][A-Za-z]*\.[A-Za-z.]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...SUPPORTED_METHODS].sort());
});

it('names everything of a workspace', async () => {
  const slack = await startLocalSlack();
  const faults = [...Object.keys(slack.faults), ...Object.keys(slack.sockets), ...Object.keys(slack.deliveryFaults)];
  await slack.stop();
  const named = new Set([...readme.matchAll(/\b[a-z]\w+/g)].map(([name]) => name));
  expect([...Object.keys(slack), ...faults].filter((name) => !named.has(name))).toEqual([]);
});
