/** A logger that remembers what was said, level by level. */
export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly detail: object;
  readonly message: string;
}

export function createRecordingLog() {
  const lines: RecordedLine[] = [];
  const at = (level: RecordedLine['level']) => (detail: object, message: string) => {
    lines.push({ level, detail, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
