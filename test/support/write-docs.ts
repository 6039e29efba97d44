/** `npm run docs`: writes the pages that are made from tables in the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { commandsManual, usageHint } from '../../src/commands/manual.ts';

writeFileSync('docs/commands.md', commandsManual());
const manifest = readFileSync('manifest.yml', 'utf8');
writeFileSync('manifest.yml', manifest.replace(/usage_hint: .*/, `usage_hint: ${usageHint()}`));
