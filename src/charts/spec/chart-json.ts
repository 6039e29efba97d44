/** The shape of a configuration that any Chart.js 4 can draw: JSON and nothing else, and the card it is drawn on. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

export interface ChartConfig {
  /** Logical size in CSS pixels; the picture has `pixelRatio` times as many. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  readonly background: string;
  readonly config: JsonObject;
}
