/** A log that remembers what was said. */
import type { ChartLog } from '../../src/charts/index.ts';

export interface HeardLog extends ChartLog {
  readonly lines: { level: string; facts: object; message: string }[];
}

export function heardLog(): HeardLog {
  const lines: HeardLog['lines'] = [];
  const at = (level: string) => (facts: object, message: string) => {
    lines.push({ level, facts, message });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
