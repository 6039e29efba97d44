/** The body of the timeline query, held to what the interface promises and made uniform. */
import { z } from 'zod';
import { untrusted } from './failure.ts';
import { inferInterval, type Series, seriesOf } from './series.ts';

/** A time below this is in seconds: in milliseconds it would lie before March 1973. */
const SECONDS_BELOW = 1e11;

const point = z.object({ time: z.int().nonnegative(), num: z.int().nonnegative().nullable() });
const schema = z.object({ requests: z.array(point).nullish(), attacks: z.array(point).nullish() });

type Points = z.infer<typeof schema>['requests'];

/** End → number. The same point twice is one; two numbers for one interval are one too many. */
function column(points: Points, inWindow: (endMs: number) => boolean): Map<number, number | null> {
  const numbers = new Map<number, number | null>();
  for (const { time, num } of points ?? []) {
    const endMs = time < SECONDS_BELOW ? time * 1000 : time;
    if (!inWindow(endMs)) continue;
    const before = numbers.get(endMs);
    if (before !== undefined && before !== num) throw untrusted('statistics', 'two numbers for one interval');
    numbers.set(endMs, num);
  }
  return numbers;
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
  // A point ends after the window begins; how far past its end depends on the interval, which is not known yet.
  const begun = (endMs: number) => endMs > window.fromMs;
  const asked = column(requests, begun);
  const attacked = column(attacks, begun);
  const ends = [...new Set([...asked.keys(), ...attacked.keys()])].sort((a, b) => a - b);
  const given = (requests?.length ?? 0) + (attacks?.length ?? 0);
  const intervalMs = inferInterval(ends, window.fromMs, window.toMs);
  const inside = ends.filter((endMs) => endMs - intervalMs < window.toMs);
  if (given > 0 && inside.length === 0) throw untrusted('statistics', 'timeline: all points lie outside the window');
  return seriesOf(new Map(inside.map((end) => [end, [asked.get(end) ?? null, attacked.get(end) ?? null]])), intervalMs);
}
