/** What a file in `verbs/` defines: how its command is asked for, and how it is answered. */
import type { CommandDefinition, Part } from '../grammar/command-table.ts';
import type { Reply } from '../replies/reply.ts';
import type { CommandContext, WindowContext } from './context.ts';

/** A verb with a default range is about a window, which is settled before it answers. */
export type Verb = CommandDefinition &
  (
    | { readonly defaultRange: string; readonly answer: (context: WindowContext) => Promise<Reply> }
    | { readonly defaultRange?: undefined; readonly answer: (context: CommandContext) => Promise<Reply> }
  );

export const WINDOW_PARTS: readonly Part[] = ['range', 'hosts', 'project', 'zone', 'privately', 'csv', 'why'];

const NOTATION: Readonly<Partial<Record<Part, string>>> = {
  hosts: '[on <host>, …]',
  zone: '[in <zone>]',
  privately: '[privately]',
  csv: '[csv]',
  canvas: '[canvas]',
  why: '[why]',
  events: '[single events]',
  top: '[top <number>]',
};

/** The end of a usage line: the optional parts. */
export const usageOf = (parts: readonly Part[]): string => parts.flatMap((part) => NOTATION[part] ?? []).join(' ');
