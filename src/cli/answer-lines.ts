/** JSON lines in, JSON lines out, streamed one line at a time: what `judge` and `understand` have in common. */
import { once } from 'node:events';
import { BotError, UsageError } from '../errors.ts';
import { isRecord, parseJson } from '../untrusted-input.ts';
import { type LineReading, readLines } from './read-lines.ts';

interface LineWords {
  /** What is done with a line, as a participle. */
  readonly verb: string;
  /** What to do about a line that is too long. */
  readonly tooLong: string;
}

/** An invalid line gets `{id, error}`; once all lines are answered, it's a failure. */
export async function answerLines(answer: (value: unknown) => Promise<object>, words: LineWords): Promise<void> {
  const { stdin, stdout } = process;
  if (stdin.isTTY) throw new UsageError('There is no input. Pipe JSON lines in; --help describes them.');
  // Stop if the reader closes the pipe.
  stdout.on('error', () => process.exit(1));
  let lines = 0;
  let faults = 0;
  for await (const line of readLines(stdin)) {
    if (!line.tooLong && line.text.trim() === '') continue;
    lines += 1;
    const answered = await answerLine(line, answer, words);
    if ('error' in answered) faults += 1;
    if (!stdout.write(`${JSON.stringify(answered)}\n`)) await once(stdout, 'drain');
  }
  if (faults > 0) {
    const what = faults === 1 ? '1 line' : `${faults} lines`;
    throw new UsageError(`${what} of ${lines} could not be ${words.verb}; their answers say why.`);
  }
}

async function answerLine(
  line: LineReading,
  answer: (value: unknown) => Promise<object>,
  { tooLong }: LineWords,
): Promise<object> {
  let value: unknown;
  try {
    if (line.tooLong) throw new UsageError(`The line is too long. ${tooLong}`);
    value = parse(line.text);
    return await answer(value);
  } catch (error) {
    // One line must not keep the others from being answered.
    if (error instanceof RangeError) return { id: idOf(value), error: 'The line has times or numbers out of range.' };
    if (!(error instanceof BotError)) throw error;
    return { id: idOf(value), error: error.message };
  }
}

/** `null` if the line has no id. */
export function idOf(value: unknown): unknown {
  return isRecord(value) ? (value.id ?? null) : null;
}

function parse(text: string): unknown {
  const value = parseJson(text);
  if (value === null && text.trim() !== 'null') throw new UsageError('The line is not JSON, or nests too deep.');
  return value;
}
