/** Validation problems, and the translation of schema issues into Slack's error messages. */
import type { z } from 'zod';

export interface Problem {
  /** The error Slack answers with: `invalid_blocks`, `msg_too_long`, … */
  readonly error: string;
  /** JSON pointer to the invalid part, for example `/blocks/0/text/text`. */
  readonly pointer: string;
  readonly message: string;
}

export type Path = readonly PropertyKey[];

export function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part)}`).join('');
}

/** The line Slack puts into `response_metadata.messages`. */
export function formatProblem(problem: Problem): string {
  return `[ERROR] ${problem.message} [json-pointer:${problem.pointer}]`;
}

/** Every issue of the schema, with `at` prepended to its path. */
export function problemsOf(schema: z.ZodType, value: unknown, at: Path, error = 'invalid_blocks'): readonly Problem[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  return result.error.issues.map((issue) => {
    const missing = issue.input === undefined && issue.code !== 'custom' && issue.path.length > 0;
    const path = missing ? issue.path.slice(0, -1) : issue.path;
    return {
      error,
      pointer: pointerOf([...at, ...path]),
      message: missing ? missingField(issue.path) : describeIssue(issue),
    };
  });
}

function missingField(path: Path): string {
  return `missing required field: ${String(path.at(-1))}`;
}

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
      if (issue.origin === 'array') return `no more than ${issue.maximum} items allowed`;
      return `must be no more than ${issue.maximum}`;
    case 'too_small':
      if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
      if (issue.origin === 'array') return `no fewer than ${issue.minimum} items allowed`;
      return issue.inclusive === false ? `must be more than ${issue.minimum}` : `must be no less than ${issue.minimum}`;
    case 'unrecognized_keys':
      return `invalid additional property: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return issue.path.at(-1) === 'type' ? unsupportedType(issue.input) : 'failed to match all allowed schemas';
    case 'invalid_value':
      return issue.path.at(-1) === 'type' ? unsupportedType(issue.input) : `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be a valid ${issue.expected}`;
    default:
      return issue.message;
  }
}

function unsupportedType(input: unknown): string {
  // The union reports the whole object, a literal only its own value.
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : input;
  return `unsupported type: ${String(type)}`;
}
