/** What stands beside the conversation: things to try, the time, what the app does. The page shows it and sends presses. */
export interface Drawer {
  state(): DrawerState;
  /** Resolves with what to say about it. */
  press(button: string, values: Readonly<Record<string, string>>): Promise<Pressed>;
  onChange(listener: () => void): () => void;
}

export interface Pressed {
  readonly error?: string;
  readonly notice?: string;
}

export interface DrawerState {
  /** Whether time is being moved. */
  readonly moving: boolean;
  readonly missions: readonly Mission[];
  readonly panels: readonly Panel[];
  /** Newest first. */
  readonly calls: readonly CallLine[];
  readonly callsTitle: string;
  /** What the calls amount to, in a sentence. */
  readonly callsSummary: string;
}

export interface Mission {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly done: boolean;
  /** A text that can be sent as it is. */
  readonly example?: string;
}

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly fields: readonly Field[];
  readonly buttons: readonly DrawerButton[];
  /** How it stands, if there is anything to say. */
  readonly status: string;
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
  readonly primary?: boolean;
  /** Set for a switch: whether it is on. */
  readonly on?: boolean;
  readonly disabled?: boolean;
}

export interface CallLine {
  readonly id: string;
  readonly atMs: number;
  /** Who was called. */
  readonly peer: string;
  readonly what: string;
  readonly outcome: string;
  readonly tone: 'good' | 'bad' | 'open';
  readonly tookMs: number | undefined;
}
