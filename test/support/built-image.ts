/** The program as the Dockerfile lays it out, in a folder of its own: built, with what cannot be bundled beside it. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT, isBuilt, setup } from './program.ts';

export interface BuiltImage {
  readonly folder: string;
  readonly program: string;
  remove(): void;
}

const CHECKOUT = new URL('../../', import.meta.url).pathname;

export async function buildImage(): Promise<BuiltImage> {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-image-'));
  if (!isBuilt) await setup();
  cpSync(BUILT, join(folder, 'dist'), { recursive: true });
  const recipe = readFileSync(join(CHECKOUT, 'Dockerfile'), 'utf8');
  for (const [, path = ''] of recipe.matchAll(/^COPY --from=build \/app\/(node_modules\S+)/gm)) {
    cpSync(join(CHECKOUT, path), join(folder, path), { recursive: true });
  }
  cpSync(join(CHECKOUT, 'package.json'), join(folder, 'package.json'));
  return {
    folder,
    program: join(folder, 'dist/wafbot.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
