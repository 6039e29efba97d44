/** Slash commands that were typed. Slack keeps no message of them; the page shows them to give answers a context. */
export interface TypedCommand {
  readonly place: string;
  readonly user: string;
  readonly text: string;
  readonly ts: string;
  /** Slack's error, if it failed. */
  readonly error?: string;
}

export interface TypedCommands {
  add(command: TypedCommand): void;
  fail(command: TypedCommand, error: string): void;
  in(place: string): readonly TypedCommand[];
}

export function createTypedCommands(changed: () => void): TypedCommands {
  const list: TypedCommand[] = [];
  return {
    add(command) {
      list.push(command);
      changed();
    },
    fail(command, error) {
      list[list.indexOf(command)] = { ...command, error };
      changed();
    },
    in: (place) => list.filter((command) => command.place === place),
  };
}
