/**
 * The command table: the one definition of what can be asked. Parsing, help, suggestions, `docs/commands.md` and the
 * manifest's usage hint all come from it.
 */
import { nearestWord, type Word } from './tokens.ts';

/** The common parts of a sentence that a verb understands; words that are left over are the verb's own. */
export type Part = 'range' | 'versus' | 'hosts' | 'project' | 'zone' | 'privately' | 'csv' | 'why';

/**
 * What a sentence does to what others see. Where there are admins, only they may `change`; to `respond` is for whoever
 * is on call, and to `look` for everyone.
 */
export type CommandEffect = 'look' | 'respond' | 'change';

export interface SubCommand<Name extends string = string> {
  readonly name: Name;
  /** The words after the verb that mean it. */
  readonly words: readonly string[];
  readonly effect: CommandEffect;
  /** Words for the verb after which it is meant when nothing else is said. */
  readonly bareAfter?: readonly string[];
  /** Meant when the first word after the verb names no other. */
  readonly otherwise?: true;
}

export interface CommandDefinition {
  readonly verb: string;
  readonly aliases: readonly string[];
  /** What it answers, as the end of the sentence "… shows". */
  readonly summary: string;
  readonly usage: readonly string[];
  readonly examples: readonly string[];
  readonly parts: readonly Part[];
  /** The window when the sentence names none; without it a range is not asked for. */
  readonly defaultRange?: string;
  /** What it can do, where that is more than one thing. A verb without them only looks. */
  readonly subCommands?: readonly SubCommand[];
  /** True for a verb without sub-commands that takes words of its own. */
  readonly takesWords?: true;
}

const QUESTION: readonly Part[] = ['range', 'versus', 'hosts', 'project', 'zone', 'privately', 'csv', 'why'];
/** A question that picks its own windows to compare with. */
const ALONE: readonly Part[] = ['range', 'hosts', 'project', 'zone', 'privately', 'csv', 'why'];
const TAIL = '[on <host>, …] [in <zone>] [privately] [csv] [why]';

export const COMMANDS = [
  {
    verb: 'timeline',
    aliases: ['traffic', 'requests'],
    summary: 'requests and attacks over time, with the peak and the change against the same time before',
    usage: [`timeline <range> [vs previous] ${TAIL}`, '<range>'],
    examples: ['timeline last 24h', 'timeline yesterday 14:00-16:00', 'last 7 days vs previous', 'timeline today csv'],
    parts: QUESTION,
    defaultRange: 'last 24h',
  },
  {
    verb: 'attacks',
    aliases: ['attack', 'breakdown', 'categories', 'types'],
    summary: 'attacks by category, what moved first, with the change against the same time before',
    usage: [`attacks [<category>] <range> [vs previous] ${TAIL}`, '<category> <range>'],
    examples: ['attacks last 24h', 'sqli yesterday', 'attacks this week privately', 'attacks yesterday csv'],
    parts: QUESTION,
    defaultRange: 'last 24h',
  },
  {
    verb: 'compare',
    aliases: ['diff'],
    summary: 'two windows side by side, the most surprising changes first; of today only as much as of yesterday',
    usage: [`compare <range> vs <range> ${TAIL}`, `compare <range> vs previous`],
    examples: ['compare today vs yesterday', 'compare last 6h vs previous'],
    parts: QUESTION,
    defaultRange: 'last 24h',
  },
  {
    verb: 'check',
    aliases: ['now', 'status'],
    summary: 'whether this is normal: a verdict with its reasons, its rule and when it began',
    usage: [`check [<range>] ${TAIL}`, 'now'],
    examples: ['check', 'now', 'check last 3h', 'check yesterday 14:00-16:00'],
    parts: ALONE,
    defaultRange: 'last 1h',
  },
  {
    verb: 'incident',
    aliases: [],
    summary: 'everything about a past window in one post, with its numbers as files; without one the same as check',
    usage: [`incident <range> ${TAIL}`],
    examples: ['incident yesterday 14:00-16:00', 'incident last 3h'],
    parts: ALONE,
    defaultRange: 'last 1h',
  },
  {
    verb: 'who',
    aliases: ['attackers', 'sources'],
    summary: 'who attacks: the largest addresses, paths, hosts and countries that the service names, and what is new',
    usage: [`who [<range>] ${TAIL}`, 'who is attacking us?'],
    examples: ['who', 'who last 1h', 'who yesterday on shop', 'who today csv'],
    parts: ALONE,
    defaultRange: 'last 1h',
  },
  {
    verb: 'digest',
    aliases: ['digests'],
    summary: "this channel's scheduled digests: each covers the time since the one before, no gap and no overlap",
    usage: [
      'digest <schedule> [on <host>, …] [in <zone>]',
      'digest',
      'digest preview|pause|resume|remove|history|run now [<number>]',
    ],
    examples: [
      'digest daily at 09:00',
      'digest weekdays 8:30 in Europe/Berlin',
      'digest mondays 9am',
      'digest every 4 hours',
      'digest monthly on the 1st at 7:00',
      'digest preview',
      'digest pause 1',
    ],
    parts: ['hosts', 'project', 'zone'],
    subCommands: [
      { name: 'create', words: [], effect: 'change', otherwise: true },
      { name: 'list', words: ['list'], effect: 'look', bareAfter: ['digest', 'digests'] },
      { name: 'preview', words: ['preview'], effect: 'look' },
      { name: 'history', words: ['history'], effect: 'look' },
      { name: 'pause', words: ['pause', 'stop'], effect: 'change' },
      { name: 'resume', words: ['resume', 'start', 'continue'], effect: 'change' },
      { name: 'remove', words: ['remove', 'delete', 'rm'], effect: 'change' },
      { name: 'run', words: ['run'], effect: 'change' },
    ],
  },
  {
    verb: 'watch',
    aliases: ['watches', 'snooze', 'ack'],
    summary:
      "this channel's watches: they call when something is not normal, as easily as you choose, and keep one message up to date",
    usage: [
      'watch [quiet|normal|sensitive] [every <minutes>] [on <host>, …]',
      'watch <attacks|requests|category> over <number> per <time> [on <host>, …]',
      'watches',
      'watch preview [<number>] [on <host>, …]',
      'watch quiet|normal|sensitive <number>',
      'watch pause|resume|remove|ack|wake [<number>]',
      'watch snooze <time> [<number>]',
      'watch expected|earlier|undo [<number>]',
    ],
    examples: [
      'watch',
      'watch preview',
      'watch quiet',
      'watch attacks over 500 per 15m',
      'watch sqli over 50 per 10m',
      'watches',
      'watch snooze 2h',
      'watch ack',
    ],
    parts: ['hosts', 'project', 'zone'],
    subCommands: [
      { name: 'create', words: [], effect: 'change', bareAfter: ['watch'], otherwise: true },
      { name: 'list', words: ['list'], effect: 'look', bareAfter: ['watches'] },
      { name: 'preview', words: ['preview', 'replay'], effect: 'look' },
      { name: 'pause', words: ['pause', 'stop'], effect: 'change' },
      { name: 'resume', words: ['resume', 'start', 'continue'], effect: 'change' },
      { name: 'remove', words: ['remove', 'delete', 'rm'], effect: 'change' },
      { name: 'ack', words: ['ack', 'acknowledge'], effect: 'respond' },
      { name: 'snooze', words: ['snooze'], effect: 'respond' },
      { name: 'wake', words: ['wake', 'unsnooze'], effect: 'respond' },
      { name: 'expected', words: ['expected'], effect: 'respond' },
      { name: 'earlier', words: ['earlier'], effect: 'respond' },
      { name: 'undo', words: ['undo'], effect: 'respond' },
    ],
  },
  {
    verb: 'hosts',
    aliases: ['host'],
    summary:
      'the host names that the service lists, and the names people added; `on <name>` works everywhere with both',
    usage: ['hosts', 'hosts add <name> <domain ID or listed host>', 'hosts remove <name>'],
    examples: ['hosts', 'hosts add shop 3ac26c59e15a4a11bb680a103a29ddb6'],
    parts: ['project'],
    subCommands: [
      { name: 'list', words: ['list'], effect: 'look', bareAfter: ['hosts', 'host'] },
      { name: 'add', words: ['add'], effect: 'change' },
      { name: 'remove', words: ['remove', 'delete', 'rm'], effect: 'change' },
    ],
  },
  {
    verb: 'settings',
    aliases: ['setting', 'config'],
    summary: "this channel's zone, default hosts and project, and whether answers are public or private",
    usage: [
      'settings',
      'settings zone <zone>',
      'settings hosts <host>, …',
      'settings project <name>',
      'settings private',
      'settings public',
      'settings zone <zone> hosts <host>, … private|public',
      'settings reset',
    ],
    examples: ['settings', 'settings zone Europe/Berlin', 'settings private', 'settings zone UTC hosts none public'],
    parts: [],
    subCommands: [
      { name: 'list', words: ['list'], effect: 'look', bareAfter: ['settings', 'setting', 'config'] },
      { name: 'zone', words: ['zone'], effect: 'change' },
      { name: 'hosts', words: ['hosts', 'host'], effect: 'change' },
      { name: 'project', words: ['project'], effect: 'change' },
      { name: 'private', words: ['private', 'privately'], effect: 'change' },
      { name: 'public', words: ['public', 'publicly'], effect: 'change' },
      { name: 'reset', words: ['reset'], effect: 'change' },
    ],
  },
  {
    verb: 'doctor',
    aliases: [],
    summary: 'whether the service, the token, the clock and this channel are in order, each fault with its fix',
    usage: ['doctor'],
    examples: ['doctor'],
    parts: ['privately'],
  },
  {
    verb: 'join',
    aliases: ['invite'],
    summary: 'that I have joined this channel, so that I can draw and post here; a private one must invite me',
    usage: ['join'],
    examples: ['join'],
    parts: [],
  },
  {
    verb: 'help',
    aliases: ['?', 'usage'],
    summary: 'what can be asked, with examples that work when copied',
    usage: ['help [command]'],
    examples: ['help', 'help timeline'],
    parts: [],
    takesWords: true,
  },
] as const satisfies readonly CommandDefinition[];

export type Verb = (typeof COMMANDS)[number]['verb'];

type WithSubCommands = Extract<(typeof COMMANDS)[number], { readonly subCommands: unknown }>;
export type SubCommandName = WithSubCommands['subCommands'][number]['name'];

export interface Command extends CommandDefinition {
  readonly verb: Verb;
  readonly subCommands?: readonly SubCommand<SubCommandName>[];
}

const BY_WORD: ReadonlyMap<string, Command> = new Map(
  COMMANDS.flatMap((command) => [command.verb, ...command.aliases].map((word) => [word, command] as const)),
);

/** The command a word names, as its verb or as an alias. */
export function commandFor(word: string): Command | undefined {
  return BY_WORD.get(word.toLowerCase());
}

export function commandOf(verb: Verb): Command {
  const command = BY_WORD.get(verb);
  if (command === undefined) throw new Error(`the command table lacks ${verb}`);
  return command;
}

/** Every word that names a command. */
export const COMMAND_WORDS: readonly string[] = [...BY_WORD.keys()];

/** The word for a command that was probably meant. */
export function nearestCommand(word: string): string | undefined {
  return nearestWord(word, COMMAND_WORDS, word.length <= 4 ? 1 : 2);
}

export interface AskedSubCommand {
  /** `null` for a verb without sub-commands, and where the words fit none of them. */
  readonly subCommand: SubCommandName | null;
  readonly effect: CommandEffect;
  /** The words that are no common part, without the one that names the sub-command. */
  readonly args: readonly Word[];
}

/** What a verb is asked to do. Words that fit no sub-command count as a change, so that in doubt an admin is needed. */
export function readSubCommand(
  { subCommands }: Command,
  verbWord: string | undefined,
  words: readonly Word[],
): AskedSubCommand {
  if (subCommands === undefined) return { subCommand: null, effect: 'look', args: words };
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
