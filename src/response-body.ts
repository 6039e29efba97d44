/** Reads the body of an HTTP response that may be of any length: nothing behind it may fill the memory of the process. */

/** At most `maxBytes`, counted after decompression; what follows is neither read nor unpacked. */
export async function readBody(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, which ends the connection.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}
