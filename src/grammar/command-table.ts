/** What a command is, and the table that sentences are read with. It's passed in: this folder knows no command. */
import type { NextStep } from '../errors.ts';
import type { TypedRange } from '../time/index.ts';
import type { Host } from './hosts.ts';
import type { Topic } from './talk.ts';
import { nearestWord, type Word } from './tokens.ts';

/** The common parts of a sentence that a command can understand. Other words are refused, or are the command's own. */
export type Part =
  | Flag
  | 'range'
  | 'versus'
  | 'versusProject'
  | 'category'
  | 'hosts'
  | 'project'
  | 'zone'
  | 'events'
  | 'top';
/** Parts that a few fixed words ask for. */
type Flag = 'privately' | 'csv' | 'canvas' | 'why';

/** If there are admins, only they may `change` things; everyone else may `look`, and `respond` to an alert. */
export type CommandEffect = 'look' | 'respond' | 'change';

export interface SubCommand {
  readonly name: string;
  /** The words after the verb that mean it. */
  readonly words: readonly string[];
  readonly effect: CommandEffect;
  /** Verb words that mean it when nothing follows them. */
  readonly bareAfter?: readonly string[];
  /** Meant when the first word after the verb names no other sub-command. */
  readonly otherwise?: true;
  /** Its sentence names no project: it lists those of all projects, or acts on something that has its own. */
  readonly withoutProject?: true;
  /** Its own words may look like hosts: `on surge`. */
  readonly withoutHosts?: true;
}

/** The headings of `help` and of the Home tab, in the order in which people need them. */
export const HELP_GROUPS = [
  'Are we under attack?',
  'What happened?',
  'How does it compare?',
  'Tell me when something happens',
  'Set things up',
] as const;

/** `which hosts`, beside `attacked` */
interface VerbPhrase {
  /** In lowercase. */
  readonly words: readonly string[];
  /** Only in a sentence with one of these, in lowercase; in any sentence by default. */
  readonly beside?: readonly string[];
}

export interface CommandDefinition {
  readonly verb: string;
  readonly aliases: readonly string[];
  /** Words that mean it if the sentence has none of its verbs: `ips`, `visitors`. */
  readonly nouns?: readonly string[];
  /** What it answers, as the end of the sentence "… shows". */
  readonly summary: string;
  /** The heading that `help` and the Home tab list it under, with the examples they show. */
  readonly help: { readonly group: (typeof HELP_GROUPS)[number]; readonly examples: readonly string[] };
  readonly usage: readonly string[];
  readonly examples: readonly string[];
  readonly parts: readonly Part[];
  /** The window when the sentence names none. A command without one isn't about a window. */
  readonly defaultRange?: string;
  /** Whether its answer has a chart. */
  readonly draws?: true;
  /** What it can do, when that is more than one thing. */
  readonly subCommands?: readonly SubCommand[];
  /** For a command without sub-commands; `look` by default. */
  readonly effect?: CommandEffect;
  /** Its own words can be anything, such as names, so it refuses the ones it doesn't know itself. */
  readonly takesWords?: true;
  /** Opens the form that does what the command does. */
  readonly form?: NextStep;
  /** What implies this command in a sentence that names none (for `versus`: none that compares). */
  readonly impliedBy?: 'range' | 'category' | 'question' | 'help' | 'versus';
  /**
   * A named attack category means the command for categories instead; `unless said`: not if this one's verb is there.
   */
  readonly yieldsToCategory?: 'always' | 'unless said';
  /** Its verb counts at any position, as in `yesterday, who attacked us?` */
  readonly anywhere?: true;
  /** Its verbs only count in a sentence that starts like this, in lowercase: they're also ordinary words. */
  readonly saidAs?: RegExp;
  /** Phrases that mean the same as its verb, at any position. */
  readonly phrases?: readonly VerbPhrase[];
}

export interface CommandTable<C extends CommandDefinition = CommandDefinition> {
  readonly all: readonly C[];
  /** The command that a word names, as its verb or as an alias. */
  find(word: string): C | undefined;
  /** The command that a word means as one of its nouns. */
  findNoun(word: string): C | undefined;
  /** The verbs, aliases and nouns that mean something by themselves. */
  readonly words: readonly string[];
  /** The command of a verb that is known to be in the table. */
  of(verb: string): C;
  impliedBy(what: NonNullable<CommandDefinition['impliedBy']>): C;
  /** The command word that was probably meant. */
  nearest(word: string): string | undefined;
}

export function createCommandTable<C extends CommandDefinition>(all: readonly C[]): CommandTable<C> {
  const byWord = new Map(all.flatMap((command) => [command.verb, ...command.aliases].map((word) => [word, command])));
  const byNoun = new Map(all.flatMap((command) => (command.nouns ?? []).map((word) => [word, command])));
  const byImplied = new Map(all.map((command) => [command.impliedBy, command]));
  const present = (command: C | undefined, what: string): C => {
    if (command === undefined) throw new Error(`no command for ${what}`);
    return command;
  };
  // A word that is only a verb next to others isn't suggested by itself.
  const verbWords = [...byWord].flatMap(([word, { saidAs }]) =>
    saidAs === undefined || saidAs.test(word) ? [word] : [],
  );
  // `back` is not a typo of `ack`, which acknowledges an alert.
  const longWords = verbWords.filter((word) => word.length > 3);
  return {
    all,
    words: [...verbWords, ...byNoun.keys()],
    find: (word) => byWord.get(word.toLowerCase()),
    findNoun: (word) => byNoun.get(word.toLowerCase()),
    of: (verb) => present(byWord.get(verb), verb),
    impliedBy: (what) => present(byImplied.get(what), what),
    nearest: (word) => (byWord.has(word) ? undefined : nearestWord(word, longWords, word.length <= 6 ? 1 : 2)),
  };
}

export interface RequestedSubCommand {
  /** `null` for a command without sub-commands, and when the words fit none of them. */
  readonly subCommand: string | null;
  readonly effect: CommandEffect;
  /** The words that belong to no common part, without the one that names the sub-command. */
  readonly args: readonly Word[];
}

/** Words that fit no sub-command count as a change, so that in doubt an admin is needed. */
export function readSubCommand(
  { subCommands, effect = 'look' }: CommandDefinition,
  verbWord: string | undefined,
  words: readonly Word[],
): RequestedSubCommand {
  if (subCommands === undefined) return { subCommand: null, effect, args: words };
  const at = words.findIndex(({ text, quoted }) => quoted || text !== ',');
  const first = words[at]?.lower;
  // `ack` and `snooze 2h` name the verb and its sub-command in one word.
  const inVerb = subCommands.find((each) => verbWord !== undefined && each.words.includes(verbWord));
  const named = first === undefined ? undefined : subCommands.find((each) => each.words.includes(first));
  const unnamed = subCommands.find(({ bareAfter, otherwise }) =>
    first === undefined ? verbWord !== undefined && bareAfter?.includes(verbWord) : otherwise,
  );
  const found = inVerb ?? named ?? unnamed;
  const args = inVerb === undefined && named !== undefined ? words.slice(at + 1) : words;
  return { subCommand: found?.name ?? null, effect: found?.effect ?? 'change', args };
}

/** What named the command of a sentence; `conversation`: the previous question. */
export type SaidBy = 'verb' | 'question' | 'conversation' | 'other';

/** A sentence as it was read. */
export interface Sentence extends RequestedSubCommand {
  readonly verb: string;
  /** As typed, for carets. */
  readonly text: string;
  /** `null` when the sentence names no window. */
  readonly range: TypedRange | null;
  readonly versus: TypedRange | 'previous' | null;
  readonly hosts: readonly Host[];
  /** The hosts to compare with over the same window. */
  readonly versusHosts: readonly Host[];
  /** Asks for all hosts, even where others are the default. */
  readonly allHosts: boolean;
  /** The field of the one attack category it is about. */
  readonly category: string | null;
  /** Its assumed topic if it names no command. */
  readonly topic: Topic | null;
  readonly saidBy: SaidBy;
  readonly zone: string;
  /** `null` if the sentence names none. */
  readonly namedZone: string | null;
  /** What it takes over from the previous question. */
  readonly carried: readonly CarriedPart[];
  readonly privately: boolean;
  /** `only`: the file without the answer around it. */
  readonly csv: boolean | 'only';
  /** Asks for the report as a canvas, too. */
  readonly canvas: boolean;
  /** Asks for the reasons instead of the answer: in a few lines, the rule, or all numbers. */
  readonly why: boolean | 'rule' | 'numbers';
  /** Asks for single events instead of who leads. */
  readonly events: boolean;
  /** How many rows to show. */
  readonly top: number | null;
}

/** What an answer takes over from the previous question. */
type CarriedPart = 'kind of answer' | 'hosts' | 'window' | 'category' | 'comparison' | 'zone';
