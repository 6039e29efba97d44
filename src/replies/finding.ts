/** One thing the `doctor` examined. */
export interface Finding {
  /** Whose service it is about, if there are several projects. */
  readonly project?: string | null;
  readonly what: string;
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
  /** The command that may fix it. */
  readonly mends?: 'join';
}

export interface Doctor {
  examine(channel: string): Promise<readonly Finding[]>;
}
