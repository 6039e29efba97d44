/** Uploaded pictures as links that open them, with their size, so that nothing moves when they arrive. */
import { type Html, html } from './html.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The first chunk of a PNG begins with its width and height. */
export function sizeOfPng(bytes: Buffer | undefined): PictureSize | undefined {
  if (bytes === undefined || bytes.length < 24 || !bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

export interface Picture {
  readonly fileId: string;
  readonly alt: string;
  readonly kind: 'tiny' | 'thumb' | 'large';
  readonly size: PictureSize | undefined;
}

export function renderPicture({ fileId, alt, kind, size }: Picture): Html {
  const measured = size !== undefined && html` width="${size.width}" height="${size.height}"`;
  return html`<a class="shot" href="/file/${fileId}" target="_blank"><img class="${kind}" src="/file/${fileId}" alt="${alt}"${measured} loading="lazy"></a>`;
}
