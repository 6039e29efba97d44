/** What a page says is shown by a test must be the title of a test. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const plain = (text: string): string => text.replace(/\s+/g, ' ');

/** `test/….test.ts` “title”, and further titles of the same file after it. */
function citedIn(page: string): { file: string; title: string }[] {
  const found: { file: string; title: string }[] = [];
  let last = '';
  for (const [, file, title] of plain(readFileSync(page, 'utf8')).matchAll(/`(test\/[\w./-]+)`|“([^”]+)”/g)) {
    last = file ?? last;
    if (title !== undefined) found.push({ file: last, title });
  }
  return found;
}

describe.each(['SECURITY.md', 'docs/reliability.md'])('%s', (page) => {
  it.each(citedIn(page))('$file has a test “$title”', ({ file, title }) => {
    expect(existsSync(file)).toBe(true);
    const source = plain(readFileSync(file, 'utf8')).replaceAll('\\u2019', '’');
    expect(source).toContain(title);
  });
});

const CITATION = /`test\/[\w./-]+\.test\.ts`\s+“/;

it('SECURITY.md names a test in every section', () => {
  const sections = readFileSync('SECURITY.md', 'utf8').split('\n### ').slice(1);
  expect(sections.length).toBeGreaterThan(8);
  for (const section of sections) expect(section).toMatch(CITATION);
});

it('docs/reliability.md names a test for every fault', () => {
  const lines = readFileSync('docs/reliability.md', 'utf8').split('\n');
  const faults = lines.filter((line) => line.startsWith('| ') && line.split(' | ').length === 5);
  const rows = faults.filter((line) => !line.startsWith('| fault '));
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) expect(row).toMatch(CITATION);
});
