/**
 * Maps stack frames of the build to the source. Maps are read when the first error is logged: `--enable-source-maps` would
 * read all of them at startup, which costs 100 ms and 10 MB.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { fileURLToPath } from 'node:url';

const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | null>();

/** A stack frame in the source; unchanged if there is no map for it. */
export function inSource(frame: string): string {
  return frame.replace(PLACE, (place, file: string, line: string, column: string) => {
    // Node's types omit that frames of dependencies have no source.
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
    // The stack is still readable without it.
    return null;
  }
}
