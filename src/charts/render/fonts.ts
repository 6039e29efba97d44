/**
 * The chart fonts. Without a font, the canvas silently draws no text, so registration is checked and startup fails if it
 * didn't work.
 */
import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';

/** Unique names, so that fonts installed on the machine change nothing. One per alphabet that host names use. */
const FAMILIES = [
  ['Wafbot Inter', 'latin'],
  ['Wafbot Inter Ext', 'latin-ext'],
  ['Wafbot Inter Cyrillic', 'cyrillic'],
  ['Wafbot Inter Greek', 'greek'],
] as const;

const WEIGHTS = [400, 600] as const;

/** The path of a font file. */
type FontFile = (subset: string, weight: number) => string;

const { resolve } = createRequire(import.meta.url);

function packagedFont(subset: string, weight: number): string {
  return resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`);
}

/** The first family that couldn't be registered; `null` if all are there. */
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
    // The package or the file is missing.
    return false;
  }
}
