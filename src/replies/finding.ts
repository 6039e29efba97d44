/** One thing the `doctor` examined. */
export interface Finding {
  /** Whose service it is about, where there are several. */
  readonly project?: string | null;
  readonly what: string;
  readonly ok: boolean;
  /** One sentence: the state, or what is wrong. */
  readonly says: string;
  readonly fix?: string;
  /** The command that may put it right. */
  readonly mends?: 'join';
}

export interface Doctor {
  examine(channel: string): Promise<readonly Finding[]>;
}
