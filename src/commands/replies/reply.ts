/**
 * The neutral answer. Verbs produce it and `slack/` renders it. Text is a list of pieces, and a plain string is always
 * shown literally, so that nothing from outside can become a mention, a link or markup.
 */
import type { ChartSpec } from '../../charts/spec/index.ts';
import type { Range } from '../../time/index.ts';

export type Piece =
  | string
  | { readonly bold: string }
  | { readonly italic: string }
  | { readonly code: string }
  | { readonly user: string }
  | { readonly channel: string }
  /** An instant, shown to each reader in their own time where the surface can do that. */
  | { readonly instant: Temporal.Instant; readonly zone: string };

export type Line = readonly Piece[];

/** A table of exact numbers. Every row has as many cells as there are columns. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly align: 'left' | 'right' }[];
  readonly rows: readonly (readonly string[])[];
}

/** A button. It says a sentence that a person could type too, so it has no state that a restart could lose. */
export interface Action {
  readonly label: string;
  readonly sentence: string;
  /** `replace` edits the message the button belongs to; `thread` answers below it; `modal` opens a form. */
  readonly effect: 'replace' | 'thread' | 'modal';
  readonly style?: 'primary' | 'danger';
  /** The question to confirm, for what cannot be undone. */
  readonly confirm?: string;
}

export interface Attachment {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

export interface Reply {
  /** One plain line: the heading, and with `headline` what a notification shows. */
  readonly title: string;
  /** The answer in one sentence with its numbers, complete enough for a screen reader or a notification. */
  readonly headline: Line;
  readonly window?: { readonly range: Range; readonly zone: string };
  /** Paragraphs below the headline. */
  readonly body?: readonly Line[];
  readonly chart?: ChartSpec;
  readonly table?: Table;
  /** What to know about the data: unfinished intervals, gaps, sums that differ. */
  readonly notes?: readonly Line[];
  readonly actions?: readonly Action[];
  /** The command that would give this answer again, without the slash command's name. */
  readonly command?: string;
  readonly attachments?: readonly Attachment[];
  /** Preformatted text, such as a caret under a fault. */
  readonly code?: string;
  /** For the asker alone, by their wish or the channel's settings. */
  readonly privately?: boolean;
  /** Useful to the asker alone, such as help or an error: shown to others only where the question was public. */
  readonly quiet?: boolean;
  /** It says that something went wrong. */
  readonly failed?: boolean;
}
