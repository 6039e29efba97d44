/**
 * Our own letters. Without a font the canvas draws no text and raises no error, so a machine without fonts would post
 * charts without words: registering is checked, and the start fails if it did not work.
 */
import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

/** Names of our own, so that a font of that name on the machine changes nothing. One for each alphabet of host names. */
const FAMILIES = [
  ['Wafbot Inter', 'latin'],
  ['Wafbot Inter Ext', 'latin-ext'],
  ['Wafbot Inter Cyrillic', 'cyrillic'],
  ['Wafbot Inter Greek', 'greek'],
] as const;

const WEIGHTS = [400, 600] as const;

/** Where a font file of the package lies. */
type FontFile = (subset: string, weight: number) => string;

const { resolve } = createRequire(import.meta.url);

function packagedFont(subset: string, weight: number): string {
  return resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`);
}

/** The first family that could not be registered, or null when all are there. */
export function registerFonts(fontFile: FontFile = packagedFont): string | null {
  for (const [family, subset] of FAMILIES) {
    for (const weight of WEIGHTS) {
      if (!register(family, subset, weight, fontFile)) return family;
    }
  }
  return null;
}

function register(family: string, subset: string, weight: number, fontFile: FontFile): boolean {
  try {
    return GlobalFonts.registerFromPath(fontFile(subset, weight), family) !== null && GlobalFonts.has(family);
  } catch {
    // The package or the file is not there.
    return false;
  }
}
