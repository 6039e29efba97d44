/** What SECURITY.md says is shown by a test must be the title of a test. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const plain = (text: string): string => text.replace(/\s+/g, ' ');
const page = plain(readFileSync('SECURITY.md', 'utf8'));

/** `test/….test.ts` “title”, and further titles of the same file after it. */
const cited = [...page.matchAll(/`(test\/[\w./-]+)`|“([^”]+)”/g)].reduce<{ file: string; title: string }[]>(
  (found, [, file, title]) => {
    const last = found.at(-1)?.file ?? '';
    if (file !== undefined) found.push({ file, title: '' });
    else if (title !== undefined) found.push({ file: last, title });
    return found;
  },
  [],
);

it.each(cited.filter(({ title }) => title !== ''))('$file has a test “$title”', ({ file, title }) => {
  expect(existsSync(file)).toBe(true);
  const source = plain(readFileSync(file, 'utf8')).replaceAll('\\u2019', '’');
  expect(source).toContain(title);
});

it('names a test in every section', () => {
  const sections = readFileSync('SECURITY.md', 'utf8').split('\n### ').slice(1);
  expect(sections.length).toBeGreaterThan(8);
  for (const section of sections) expect(section).toMatch(/`test\/[\w./-]+\.test\.ts`\s+“/);
});
