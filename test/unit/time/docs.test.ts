import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderTimeDoc } from './time-doc.ts';

test('docs/time.md says what the examples of the rules prove: `npm run docs` writes it', () => {
  expect(readFileSync(new URL('../../../docs/time.md', import.meta.url), 'utf8')).toBe(renderTimeDoc());
});
