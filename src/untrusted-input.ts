/** Reads input from outside: JSON of any shape, bodies of any length, names with any character. */

/** No answer, frame or record nests half as deep. Deeper ones take seconds to parse, and overflow the stack when written. */
const MAX_DEPTH = 64;

/** `null` if it isn't JSON, or nests too deep. */
export function parseJson(text: string): unknown {
  try {
    return nestsTooDeep(text) ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) at += code === BACKSLASH ? 1 : 0;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Control and format characters, and those that look blank, such as U+3164 and U+2800. */
export const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
const BLANKS = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\s]+/gu;
const LOOKALIKES: Readonly<Record<string, string>> = { '*': '∗', '~': '∼', '`': 'ˋ' };

/**
 * A name from outside as plain text in one line: without invisible and bidirectional characters, and with look-alikes
 * for what Slack would render as bold, italic, strikethrough or code. Empty if nothing is left.
 */
export function plainName(text: string, maxLength: number): string {
  const plain = text
    .toWellFormed()
    .replace(BLANKS, ' ')
    .trim()
    .replace(/[*~`]/g, (mark) => LOOKALIKES[mark] ?? mark)
    // Only in pairs around words: host names and paths have them inside.
    .replace(/(?<![\p{L}\p{N}_])_(?=[^_].*_(?![\p{L}\p{N}_]))/gu, 'ˍ');
  return plain.length > maxLength ? `${[...plain].slice(0, maxLength - 1).join('')}…` : plain;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads at most `maxBytes` of a body, counted after decompression, so that it can't fill the memory of the process. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, which ends the connection.
  for await (const chunk of body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}
