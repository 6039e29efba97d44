/** The questions that `help` and the Home tab suggest, grouped as in the verbs' definitions. */
import { type CommandTable, HELP_GROUPS, readSubCommand } from '../grammar/command-table.ts';
import { splitWords } from '../grammar/tokens.ts';

interface ThingsToAsk {
  readonly group: (typeof HELP_GROUPS)[number];
  /** Examples that only look, so they can be buttons. */
  readonly questions: readonly string[];
  /** Examples that change something in the channel they are typed in. */
  readonly changes: readonly string[];
}

export function thingsToAsk(commands: CommandTable): ThingsToAsk[] {
  return HELP_GROUPS.map((group) => {
    const listed = commands.all.filter(({ help }) => help.group === group);
    const examples = (isLook: boolean): string[] =>
      listed.flatMap((command) =>
        command.help.examples.filter((example) => {
          const [first, ...words] = splitWords(example);
          return (readSubCommand(command, first?.lower, words).effect === 'look') === isLook;
        }),
      );
    return { group, questions: examples(true), changes: examples(false) };
  });
}
