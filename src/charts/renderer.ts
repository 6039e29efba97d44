/** What every renderer offers: a description in, a picture out. */
import type { ChartSpec } from './spec/index.ts';

export interface Picture {
  readonly png: Uint8Array;
  /** In pixels of the picture. */
  readonly width: number;
  readonly height: number;
}

export interface ChartRenderer {
  /** `none` draws nothing: `draw` always fails, and callers may spare themselves the call. */
  readonly kind: 'embedded' | 'quickchart' | 'none';
  /** Fails with a `BotError`; a picture that fails never costs more than the picture. */
  draw(spec: ChartSpec, signal?: AbortSignal): Promise<Picture>;
  close(): Promise<void>;
}
