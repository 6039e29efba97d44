/** A PNG as pixels, read by a decoder that is not ours. */
import { createCanvas, loadImage } from '@napi-rs/canvas';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8ClampedArray;
  /** Places of all pixels near a colour such as `#d55e00`. */
  find(colour: string, tolerance?: number): { x: number; y: number }[];
}

export async function decode(png: Uint8Array): Promise<Pixels> {
  const image = await loadImage(Buffer.from(png));
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const rgba = context.getImageData(0, 0, width, height).data;
  return {
    width,
    height,
    rgba,
    find(colour, tolerance = 12) {
      const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      const [red = 0, green = 0, blue = 0] = wanted;
      const isNear = (at: number, value: number): boolean => Math.abs((rgba[at] as number) - value) <= tolerance;
      const found: { x: number; y: number }[] = [];
      for (let index = 0, at = 0; index < width * height; index += 1, at += 4) {
        const near = isNear(at, red) && isNear(at + 1, green) && isNear(at + 2, blue);
        if (near) found.push({ x: index % width, y: Math.floor(index / width) });
      }
      return found;
    },
  };
}
