/** A log that remembers what was said. */
import type { Logger } from '../../src/observability/logger.ts';

export interface HeardLog extends Logger {
  readonly lines: { level: string; facts: object; message: string }[];
}

export function heardLog(): HeardLog {
  const lines: HeardLog['lines'] = [];
  const at = (level: string) => (facts: object, message: string) => {
    lines.push({ level, facts, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
