/** What comes from outside, before anything is known about it: JSON that may be anything, bodies of any length. */

/** `null` where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the body of an HTTP response, which must not fill the memory of the process: at most `maxBytes`, counted after
 * decompression; what follows is neither read nor unpacked.
 */
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
  const [only] = chunks;
  const bytes = chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
  return { bytes, whole: true };
}
