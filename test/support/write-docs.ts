/** `npm run docs`: writes the pages that are made from tables in the code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { renderTimeDoc } from '../unit/time/time-doc.ts';
import { commandsPage, usageHint } from './commands-page.ts';

writeFileSync('docs/time.md', renderTimeDoc());
writeFileSync('docs/commands.md', commandsPage());
const manifest = readFileSync('manifest.yml', 'utf8');
writeFileSync('manifest.yml', manifest.replace(/usage_hint: .*/, `usage_hint: ${usageHint()}`));
