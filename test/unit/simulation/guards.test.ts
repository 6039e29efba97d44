/** What `npm run simulate -- --guards` switches off is in the code, so that it does switch it off. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GUARDS } from '../../simulation/guards.ts';

it.each(GUARDS)('$name is in $file once', ({ file, code, without }) => {
  const source = readFileSync(new URL(`../../../src/${file}`, import.meta.url), 'utf8');
  expect(source.split(code)).toHaveLength(2);
  expect(without).not.toBe(code);
});
