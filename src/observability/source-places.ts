/**
 * Places in the build as places in the source, for traces of calls. Read when the first error is logged: with Node's own
 * `--enable-source-maps` every map is read at the start, which costs a tenth of a second and ten megabytes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { fileURLToPath } from 'node:url';

const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | null>();

/** A line of a trace; the same where nothing is known about it. */
export function inSource(frame: string): string {
  return frame.replace(PLACE, (place, file: string, line: string, column: string) => {
    // Node's types leave out that a place of a dependency has no source.
    const entry: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
    const { originalSource, originalLine = 0, originalColumn = 0 } = entry;
    if (originalSource === undefined) return place;
    return `${new URL(originalSource, file)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(`${fileURLToPath(file)}.map`);
  maps.set(file, map);
  return map;
}

function readMap(path: string): SourceMap | null {
  try {
    return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
  } catch {
    // A trace without it still has the names.
    return null;
  }
}
