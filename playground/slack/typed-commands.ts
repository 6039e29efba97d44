/** Slash commands that people typed. Slack stores no message for them; a page shows them for context. */
import type { Ids } from './ids.ts';

export interface TypedCommand {
  readonly channel: string;
  readonly user: string;
  /** With the name of the command. */
  readonly text: string;
  readonly ts: string;
  /** Slack's error, if it failed. */
  readonly error?: string;
}

export interface TypedCommands {
  add(command: Pick<TypedCommand, 'channel' | 'user' | 'text'>): TypedCommand;
  fail(command: TypedCommand, error: string): void;
  in(channel: string): readonly TypedCommand[];
}

export function createTypedCommands(deps: { readonly ids: Ids; readonly changed: () => void }): TypedCommands {
  const list: TypedCommand[] = [];
  return {
    add(input) {
      const command = { ...input, ts: deps.ids.ts() };
      list.push(command);
      deps.changed();
      return command;
    },
    fail(command, error) {
      list[list.indexOf(command)] = { ...command, error };
      deps.changed();
    },
    in: (channel) => list.filter((command) => command.channel === channel),
  };
}
