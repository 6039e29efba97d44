/** The body of the timeline query, held to what the interface promises and made uniform. */
import { z } from 'zod';
import { untrusted } from './failure.ts';
import { inferInterval, mergeColumns, type Series } from './series.ts';

/** A time below this is in seconds: in milliseconds it would lie before March 1973. */
const SECONDS_BELOW = 1e11;

// The points themselves are checked by hand below: a day has 2,880 of them, and they are most of the work of an answer.
const list = z.custom<readonly unknown[]>(Array.isArray, 'not a list').nullish();
const schema = z.object({ requests: list, attacks: list });

interface Column {
  readonly ends: number[];
  readonly numbers: (number | null)[];
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readPoint(point: unknown, where: string): { endMs: number; num: number | null } {
  const { time, num } = (typeof point === 'object' && point !== null ? point : {}) as Record<string, unknown>;
  if (!isCount(time)) throw untrusted('statistics', `timeline: a time in ${where} that is no whole number`);
  if (num !== null && !isCount(num)) throw untrusted('statistics', `timeline: a number in ${where} that is none`);
  return { endMs: time < SECONDS_BELOW ? time * 1000 : time, num };
}

/** Sorted and without repetition. The same point twice is one; two numbers for one interval are one too many. */
function readColumn(points: readonly unknown[] | null | undefined, where: string, fromMs: number): Column {
  const read = (points ?? []).map((point) => readPoint(point, where)).filter(({ endMs }) => endMs > fromMs);
  const sorted = read.every(({ endMs }, i) => i === 0 || endMs > (read[i - 1]?.endMs ?? 0));
  if (!sorted) read.sort((a, b) => a.endMs - b.endMs);
  const ends: number[] = [];
  const numbers: (number | null)[] = [];
  for (const { endMs, num } of read) {
    if (ends.at(-1) !== endMs) {
      ends.push(endMs);
      numbers.push(num);
    } else if (numbers.at(-1) !== num) {
      throw untrusted('statistics', `timeline: two numbers for one interval in ${where}`);
    }
  }
  return { ends, numbers };
}

/** Throws a `BotError` when the body cannot be trusted. */
export function readTimeline(body: unknown, window: { fromMs: number; toMs: number }): Series {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw untrusted('statistics', `timeline: ${issue?.code} at ${issue?.path.join('.')}`);
  }
  const { requests, attacks } = parsed.data;
  if (requests == null && attacks == null) throw untrusted('statistics', 'timeline: neither requests nor attacks');
  const merged = mergeColumns(
    readColumn(requests, 'requests', window.fromMs),
    readColumn(attacks, 'attacks', window.fromMs),
  );
  const intervalMs = inferInterval(merged.ends, window.fromMs, window.toMs);
  // How far past the end of the window a point may end depends on the interval, so it is looked at only now.
  const past = merged.ends.findIndex((endMs) => endMs - intervalMs >= window.toMs);
  const count = past === -1 ? merged.ends.length : past;
  const given = (requests?.length ?? 0) + (attacks?.length ?? 0);
  if (given > 0 && count === 0) throw untrusted('statistics', 'timeline: all points lie outside the window');
  return {
    intervalMs,
    ends: merged.ends.slice(0, count),
    requests: merged.requests.slice(0, count),
    attacks: merged.attacks.slice(0, count),
  };
}
