/** Writes a picture of the documents, with few colors where that changes next to nothing: browsers write four bytes for each pixel. */
import { writeFileSync } from 'node:fs';
import { createPngEncoder } from '../../src/charts/render/png.ts';
import { decode } from './pixels.ts';

const encode = createPngEncoder();
/** Of the pixels; what differs are shades along the edges of letters. */
const MIN_EQUAL = 0.95;

export async function savePicture(path: string, png: Uint8Array): Promise<void> {
  const { rgba, width, height } = await decode(png);
  const small = encode(rgba, width, height);
  const after = new Uint32Array((await decode(small)).rgba.buffer);
  const equal = new Uint32Array(rgba.buffer).filter((pixel, at) => pixel === after[at]).length;
  writeFileSync(path, equal >= MIN_EQUAL * width * height ? small : png);
}
