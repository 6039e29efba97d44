/** The local Slack and the page are for any Slack app: nothing in them may speak of this one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each(['playground/slack', 'playground/page'])('%s has no words of the firewall', (folder) => {
  // Not what is built and cached there.
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.\w+$/.test(file) && !/^(dist|node_modules)\//.test(file),
  );
  expect(files.length).toBeGreaterThan(20);
  const speaking = files.filter((file) => /\bwaf|attack/i.test(readFileSync(join(folder, file), 'utf8')));
  expect(speaking).toEqual([]);
});
