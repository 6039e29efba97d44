import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderTimeDoc } from './time-doc.ts';

const page = new URL('../../../docs/time.md', import.meta.url);

test('docs/time.md says what the tables prove', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(page, renderTimeDoc());
  expect(readFileSync(page, 'utf8')).toBe(renderTimeDoc());
});
