/**
 * The neutral answer. Verbs produce it and `slack/` renders it. Text is a list of pieces, and a plain string is always
 * shown literally, so that nothing from outside can become a mention, a link or markup.
 */
import type { ChartSpec } from '../charts/spec/index.ts';
import type { Level } from '../episodes/verdict/index.ts';
import type { Host } from '../grammar/hosts.ts';
import type { Range } from '../time/index.ts';

export type Piece =
  | string
  | { readonly bold: string }
  | { readonly italic: string }
  | { readonly code: string }
  | { readonly user: string }
  | { readonly channel: string }
  /** An address that Slack gave, such as that of a message; never one from outside. */
  | { readonly link: string; readonly says: string }
  /**
   * An instant, shown to each reader in their own time where the surface can do that. An answer about a window says its
   * times in the zone of that window instead, as text: its heading and its picture do, and one message has one clock.
   */
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
  /**
   * `replace` edits the message the button belongs to; `thread` answers below it; `modal` opens a form. `ask` answers as if
   * the sentence had been typed there, and `again` does so in place of the message.
   */
  readonly effect: 'replace' | 'thread' | 'modal' | 'ask' | 'again';
  readonly style?: 'primary' | 'danger';
  /** The question to confirm, for what cannot be undone. */
  readonly confirm?: string;
}

export interface Attachment {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

/** What an answer is about: said in one line of context, as in its chart. */
export interface Subject {
  /** Named where there are several. */
  readonly project?: string;
  /** None means all of the project. */
  readonly hosts: readonly Host[];
  readonly range: Range;
  readonly zone: string;
  /** When it was asked: a window of another year says its year. */
  readonly now?: Temporal.Instant;
}

/** What a finding rests on: the rule, what it was compared with, and every number that was looked at. */
export interface Explanation {
  /** What goes before the heading of the answer; `In detail` by default. */
  readonly heading?: string;
  readonly lines: readonly Line[];
  readonly table?: Table;
  /** What one would do with the numbers. */
  readonly actions?: readonly Action[];
}

export interface Reply {
  /** One plain line, the heading: the finding with its number and time, not what was asked. */
  readonly title: string;
  /** Where a verdict is told: shown as a coloured mark before the heading. `past`: what happened is over. */
  readonly level?: Level | 'past';
  /** The first line below the heading, and with it what a notification shows. */
  readonly headline?: Line;
  /** More lines. With a chart they are three with the headline at most; the rest belongs to `why`. */
  readonly body?: readonly Line[];
  readonly subject?: Subject;
  readonly chart?: ChartSpec;
  /** Shown where there is no chart, or none can be shown: it has the same numbers. */
  readonly table?: Table;
  /** What to know about the data: what is still filling, gaps, sums that differ. */
  readonly notes?: readonly Line[];
  /** What one would do next, most likely first; five are shown. */
  readonly actions?: readonly Action[];
  /** Told instead of the rest to whoever asks `why`, which is what a button *Why?* says, in the thread. */
  readonly why?: Explanation;
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
