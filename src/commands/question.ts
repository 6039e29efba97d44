/** A question with everything about the asker that an answer depends on. */
export interface Question {
  readonly text: string;
  readonly user: string;
  readonly channel: string;
  /** The asker's own zone, from their profile; `null` where it is not known. */
  readonly userZone: string | null;
}
