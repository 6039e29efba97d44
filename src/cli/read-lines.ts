/** Reads a stream line by line. A line over the limit is skipped and reported, so that memory stays bounded. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;

export type LineReading = { readonly tooLong: false; readonly text: string } | { readonly tooLong: true };

export async function* readLines(
  chunks: AsyncIterable<Buffer | string>,
  maxLength = MAX_LINE_LENGTH,
): AsyncGenerator<LineReading> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  const take = (): LineReading => {
    const line: LineReading = length > maxLength ? { tooLong: true } : { tooLong: false, text: parts.join('') };
    parts = [];
    length = 0;
    return line;
  };
  const add = (part: string): void => {
    length += part.length;
    if (length > maxLength) parts = [];
    else if (part !== '') parts.push(part);
  };
  for await (const chunk of chunks) {
    const pieces = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n');
    for (const piece of pieces.slice(0, -1)) {
      add(piece);
      yield take();
    }
    add(pieces.at(-1) ?? '');
  }
  if (length > 0) yield take();
}
