/** What a run of the fuzzer has found: how each input ended, what must not have happened, and the longest stretch. */
export interface FuzzReport {
  readonly name: string;
  inputs: number;
  /** How the inputs ended, by kind. */
  readonly outcomes: Map<string, number>;
  /** What must not happen, each with its input. Empty when all is well. */
  readonly faults: string[];
  /** The longest time that one input held the event loop, and that input. */
  longest: { readonly ms: number; readonly input: string };
}

/** Nothing may hold the event loop for longer. */
export const LONGEST_STRETCH_MS = 20;
/** What took longer is repeated, and its best time counts: on a busy machine, the same work takes a thread up to three times as long. */
export const MAX_ROUNDS = 40;
const SHOWN = 300;

export function createReport(name: string) {
  const report: FuzzReport = { name, inputs: 0, outcomes: new Map(), faults: [], longest: { ms: 0, input: '' } };
  return {
    report,
    count(outcome: string): void {
      report.inputs += 1;
      report.outcomes.set(outcome, (report.outcomes.get(outcome) ?? 0) + 1);
    },
    fault(what: string, input: unknown): void {
      report.faults.push(`${what}: ${shown(input)}`);
    },
    took(ms: number, input: unknown): void {
      if (ms > report.longest.ms) report.longest = { ms, input: shown(input) };
    },
  };
}

function shown(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length > SHOWN
    ? `${JSON.stringify(text.slice(0, SHOWN))}… (${text.length} characters)`
    : JSON.stringify(text);
}
