/** Every part of the rule can still be switched off: what a switch changes stands in the sources once. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { changed, PARTS } from '../../evaluation/ablation.ts';

const SRC = path.join(import.meta.dirname, '../../../src');

it.each(Object.entries(PARTS))('%s', (_, changes) => {
  for (const change of changes) {
    const source = readFileSync(path.join(SRC, change[0]), 'utf8');
    expect(changed(source, [change], change[0])).not.toBe(source);
  }
});
