/** `npm run docs`: writes the pages that are generated from the code, and the usage hint in the manifest. */
import { readFileSync, writeFileSync } from 'node:fs';
import { usageHint } from './commands-page.ts';
import { GENERATED_PAGES } from './generated-pages.ts';

const manifest = readFileSync('manifest.yml', 'utf8');
writeFileSync('manifest.yml', manifest.replace(/usage_hint: .*/, `usage_hint: ${usageHint()}`));
// Some are made from the manifest.
for (const [file, render] of Object.entries(GENERATED_PAGES)) writeFileSync(file, render());
