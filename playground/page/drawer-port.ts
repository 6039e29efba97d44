/** The drawer next to the conversation: things to try, the clock, the app's calls. The page shows it and sends presses. */
export interface Drawer {
  state(): DrawerState;
  /** Resolves with a notice or an error to show. */
  press(button: string, values: Readonly<Record<string, string>>): Promise<Pressed>;
  onChange(listener: () => void): () => void;
}

export interface Pressed {
  readonly error?: string;
  readonly notice?: string;
}

export interface DrawerState {
  /** Whether the clock is being fast-forwarded. */
  readonly moving: boolean;
  readonly missions: readonly Mission[];
  /** `null` until all missions are done. */
  readonly ending: Ending | null;
  readonly panels: readonly Panel[];
  /** Newest first. */
  readonly calls: readonly CallLine[];
  readonly callsTitle: string;
  /** One sentence about the calls. */
  readonly callsSummary: string;
}

export interface Mission {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly done: boolean;
  /** A message to send as is. */
  readonly example?: string;
  /** A message of the workspace to go to. */
  readonly goTo?: { readonly label: string; readonly place: string; readonly ts: string };
}

export interface Ending {
  /** What the missions showed, in one sentence each. */
  readonly learned: readonly string[];
  /** Plain text to copy. */
  readonly summary: string;
  /** A seed to play next. */
  readonly nextSeed: number;
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly fields: readonly Field[];
  readonly buttons: readonly DrawerButton[];
  /** Current state; empty if there's nothing to report. */
  readonly status: string;
  /** Something that lasts until then, as words before and after the remaining time. */
  readonly countdown?: Countdown | undefined;
  /** The progress of something. */
  readonly progress?: Progress | undefined;
}

export interface Countdown {
  /** For screen readers, before the time at which it ends. */
  readonly until: string;
  readonly before: string;
  readonly after: string;
  readonly untilMs: number;
}

export interface Progress {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly text: string;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export interface DrawerButton {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** What it will do and when, shown below the button. */
  readonly note?: { readonly text: string; readonly atMs?: number };
  readonly primary?: boolean;
  /** For a switch: whether it's on. */
  readonly on?: boolean;
  readonly disabled?: boolean;
}

export interface CallLine {
  readonly id: string;
  readonly atMs: number;
  /** The called service. */
  readonly peer: string;
  readonly what: string;
  readonly outcome: string;
  readonly tone: 'good' | 'bad' | 'open';
  readonly tookMs: number | undefined;
}
