/** The part of a Chart.js configuration that `charts/spec` uses and the painter supports. */
export interface Font {
  readonly family: string;
  readonly size: number;
  readonly weight: number;
  readonly lineHeight: number;
}

export interface HeadLines {
  readonly text: readonly string[];
  readonly color: string;
  readonly font: Font;
  readonly padding: { readonly top: number; readonly bottom: number };
}

export interface ScaleConfig {
  readonly type: 'linear' | 'category';
  readonly axis: 'x' | 'y';
  readonly min: number;
  readonly max: number;
  readonly reverse?: boolean;
  readonly stackWeight?: number;
  readonly weight?: number;
  /** For a category scale: the value on another scale where its words go. */
  readonly position?: Readonly<Record<string, number>>;
  readonly labels?: readonly (string | readonly string[])[];
  readonly offset?: boolean;
  readonly grid?: { readonly display: boolean; readonly color?: readonly string[]; readonly lineWidth?: number };
  readonly ticks: {
    readonly align?: 'start' | 'center' | 'end';
    readonly color: string | readonly string[];
    readonly font: Font;
  };
}

export interface DatasetConfig {
  readonly type: 'line' | 'bar';
  readonly xAxisID: string;
  readonly yAxisID: string;
  readonly order: number;
  readonly data: readonly ({ readonly x: number; readonly y: number | null } | number | null)[];
  readonly showLine?: boolean;
  readonly clip?: number | false;
  readonly fill?: 'shape' | 'origin';
  readonly backgroundColor?: string | readonly string[];
  readonly borderColor?: string;
  readonly borderWidth?: number | readonly number[];
  readonly borderDash?: number[];
  readonly borderCapStyle?: 'butt' | 'round';
  readonly borderJoinStyle?: 'miter' | 'bevel' | 'round';
  readonly radius?: number;
  readonly pointRadius?: number;
  readonly pointStyle?: 'triangle' | 'line';
  readonly pointRotation?: number;
  readonly pointBackgroundColor?: string;
  readonly pointBorderColor?: string;
  readonly pointBorderWidth?: number;
  readonly barPercentage?: number;
  readonly minBarLength?: number;
}

export interface CardConfig {
  readonly data: { readonly datasets: readonly DatasetConfig[] };
  readonly options: {
    readonly layout: { readonly padding: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>> };
    readonly plugins: { readonly title: HeadLines; readonly subtitle: HeadLines };
    readonly scales: Readonly<Record<string, ScaleConfig>>;
  };
}
