/**
 * The neutral answer: verbs produce it and `slack/` renders it. Text is a list of pieces, and a plain string is always
 * shown literally, so that no outside text can become a mention, a link or markup.
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
  /** `quietly`: by name in a message, so that nobody is notified. */
  | { readonly user: string; readonly quietly?: true }
  | { readonly channel: string }
  /** An address from Slack itself, such as a message's, or one that the operator allows, such as a runbook's. */
  | { readonly link: string; readonly says: string }
  /**
   * An instant, shown in each reader's own time if the surface can. Answers about a window write times in the window's zone
   * as text instead, like their heading and chart, so that one message uses one clock.
   */
  | { readonly instant: Temporal.Instant; readonly zone: string };

/** A person, or a user group of the workspace, with the name that people know it by. */
export type Mentioned =
  | { readonly user: string; readonly name: string }
  | { readonly group: string; readonly name: string };

export type Line = readonly Piece[];

/** Every row has as many cells as there are columns. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly align: 'left' | 'right' }[];
  readonly rows: readonly (readonly string[])[];
}

/** A button. It carries a sentence that a person could type, so a restart loses no state. */
export interface Action {
  readonly label: string;
  readonly sentence: string;
  /**
   * `replace` edits the message the button belongs to; `thread` answers below it; `modal` opens a form. `ask` answers as if
   * the sentence had been typed there, and `again` does so in place of the message.
   */
  readonly effect: 'replace' | 'thread' | 'modal' | 'ask' | 'again';
  readonly style?: 'primary' | 'danger';
  /** The question to confirm what can't be undone. */
  readonly confirm?: Line;
  /** Less often needed: in the menu after the buttons. Only for `thread`, without a question. */
  readonly inMenu?: true;
}

export interface Entry {
  readonly lines: readonly Line[];
  readonly actions: readonly Action[];
}

export interface Attachment {
  readonly name: string;
  readonly title: string;
  readonly content: string;
}

interface DocumentPart {
  readonly heading: string;
  readonly lines?: readonly Line[];
  readonly list?: readonly Line[];
  readonly table?: Table;
}

export interface ReportDocument {
  /** The file's name, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly parts: readonly DocumentPart[];
  /** Requested as a canvas, too. */
  readonly asCanvas: boolean;
}

/** What an answer is about, for its context line and chart. */
export interface Subject {
  /** Set if there are several. */
  readonly project?: string;
  /** Empty: all hosts of the project. */
  readonly hosts: readonly Host[];
  readonly range: Range;
  readonly zone: string;
  /** The time of the question; a window in another year shows its year. */
  readonly now?: Temporal.Instant;
  /** What was taken over from the previous question. */
  readonly carried?: readonly string[];
}

/** The reasons for a finding, in a few lines; the rule and every number considered are behind `more`. */
export interface Explanation {
  /** What goes before the heading of the answer; `In detail` by default. */
  readonly heading?: string;
  readonly lines: readonly Line[];
  readonly table?: Table;
  readonly actions?: readonly Action[];
  /** What a further word asks for instead: `why rule`, `why numbers`. */
  readonly more?: Readonly<Record<ExplanationPart, Pick<Explanation, 'lines' | 'table'>>>;
}

export type ExplanationPart = 'rule' | 'numbers';

export interface Reply {
  /** The heading: the finding with its number and time, not the question. */
  readonly title: string;
  /** The colored mark before the heading of a verdict. `past`: it is over. */
  readonly level?: Level | 'past';
  /** Whom a new message mentions, so that they are notified. An edit would notify nobody: it only names them. */
  readonly mentions?: readonly Mentioned[];
  /** The first line below the heading; a notification shows both. */
  readonly headline?: Line;
  /** More lines; with a chart at most three including the headline. The rest belongs in `why`. */
  readonly body?: readonly Line[];
  /** Below the body: things with buttons of their own, such as the digests of a channel. */
  readonly entries?: readonly Entry[];
  /** Below the body: what else happened in the window, one line each. */
  readonly also?: readonly Line[];
  readonly subject?: Subject;
  readonly chart?: ChartSpec;
  /** The numbers of the chart, shown if there is none or it can't be shown. */
  readonly table?: Table;
  /** Limits of the data: what is still filling in, gaps, sums that differ. */
  readonly notes?: readonly Line[];
  /** Next steps, the most likely first; five buttons are shown, and five more in their menu. */
  readonly actions?: readonly Action[];
  /** The answer to `why`, which the button *Why?* asks in the thread. */
  readonly why?: Explanation;
  readonly attachments?: readonly Attachment[];
  /** The answer as a document, which becomes a file next to it. */
  readonly document?: ReportDocument;
  /** Preformatted text, such as a caret under a mistake. */
  readonly code?: string;
  /** For the asker alone, as requested or by the channel's settings. */
  readonly privately?: boolean;
  /** Useful to the asker alone, such as help or an error: shown to others only if the question was public. */
  readonly quiet?: boolean;
  readonly failed?: boolean;
  /** The same answer with what wasn't known in time, to edit the message with; `null` if nothing is added. */
  readonly later?: Promise<Reply | null>;
  /** The ID of the digest or watch that it's about, for a form that has more to say about it. */
  readonly subscription?: string;
  /** The question as a sentence that means the same at any time, for those that follow it. */
  readonly asked?: string;
}
