/** Questions too long for one call, cut into parts that the service takes: in time and by hosts. */
import { percentEncode } from './sign.ts';
import { offsetMs, type Window } from './window.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Parts of about the same length, so that their intervals come out the same, cut on the hour of the asker's clock, where
 * intervals begin.
 */
export function splitTime(window: Window, maxMs: number): readonly Window[] {
  const { fromMs, toMs } = window;
  const lengthMs = toMs - fromMs;
  if (lengthMs <= maxMs) return [window];
  const unitMs = maxMs >= 2 * HOUR_MS ? HOUR_MS : MINUTE_MS;
  const evenMs = Math.ceil(lengthMs / Math.ceil(lengthMs / maxMs) / unitMs) * unitMs;
  const stepMs = Math.min(evenMs, Math.max(unitMs, Math.floor(maxMs / unitMs) * unitMs));
  const shiftMs = offsetMs(window.offset);
  const parts: Window[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const cutMs = Math.floor((startMs + stepMs + shiftMs) / unitMs) * unitMs - shiftMs;
    // The last cut may leave a crumb that still fits; a call saved.
    const endMs = toMs - startMs <= maxMs ? toMs : Math.min(toMs, cutMs);
    parts.push({ ...window, fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return parts;
}

/** As many hosts a call as the URL carries; each costs `&hosts=` and its own length. */
export function splitHosts(window: Window, maxBytes: number): readonly Window[] {
  const parts: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const host of window.hosts) {
    const cost = '&hosts='.length + percentEncode(host).length;
    if (bytes + cost > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(host);
    bytes += cost;
  }
  return parts.length <= 1 ? [window] : parts.map((hosts) => ({ ...window, hosts }));
}

/** Runs the work with at most `limit` at a time; after a failure nothing more is begun. */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (failed) return;
      results[index] = await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, worker);
  return Promise.all(workers).then(
    () => results,
    (error: unknown) => {
      failed = true;
      throw error;
    },
  );
}
