/** What a move of the clock will do, and about how long it takes on this machine. */

/** A due time of a digest or a watch. */
export interface Upcoming {
  readonly kind: 'digest' | 'watch';
  readonly job: string;
  readonly atMs: number;
}

export interface Outlook {
  readonly watches: number;
  readonly checks: number;
  readonly digests: number;
  readonly takesMs: number;
}

interface OutlookDeps {
  readonly nowMs: () => number;
  readonly upcoming: (untilMs: number) => Promise<readonly Upcoming[]>;
}

/** While it's quiet, watches check once in each stride. */
interface Strides {
  readonly strideMs: number;
  readonly quietFromMs: number;
}

const HOUR_MS = 3_600_000;
/** A daily digest is due within this time. */
const MAX_AHEAD_MS = 25 * HOUR_MS;
/** A first estimate, for two idle cores; corrected by every move. */
const FIRST_GUESS_MS = 45;

export function createOutlook({ nowMs, upcoming }: OutlookDeps) {
  let due: readonly Upcoming[] = [];
  let msPerRun = FIRST_GUESS_MS;
  return {
    async refresh(): Promise<void> {
      due = await upcoming(nowMs() + MAX_AHEAD_MS);
    },
    nextDigestMs: (): number | undefined =>
      due.filter(({ kind }) => kind === 'digest').reduce<number | undefined>(earliest, undefined),
    until(toMs: number, strides?: Strides): Outlook {
      const runs = due.filter(({ atMs }) => atMs > nowMs() && atMs <= toMs);
      const checks = runs.filter(({ kind }) => kind === 'watch');
      const counted = strides === undefined ? checks.length : countInStrides(checks, strides);
      const digests = runs.length - checks.length;
      return {
        watches: new Set(checks.map(({ job }) => job)).size,
        checks: counted,
        digests,
        takesMs: (counted + digests) * msPerRun,
      };
    },
    /** Corrects the estimate with how long that many runs really took. */
    learn(runs: number, tookMs: number): void {
      if (runs > 0) msPerRun = (msPerRun + tookMs / runs) / 2;
    },
  };
}

const earliest = (first: number | undefined, { atMs }: Upcoming): number => Math.min(first ?? atMs, atMs);

function countInStrides(checks: readonly Upcoming[], { strideMs, quietFromMs }: Strides): number {
  const strides = new Set(
    checks.map(({ job, atMs }) => `${job} ${atMs < quietFromMs ? atMs : strideMs * Math.ceil(atMs / strideMs)}`),
  );
  return strides.size;
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `12 checks, about 1 s` */
export function describeOutlook({ watches, checks, digests, takesMs }: Outlook): string {
  const of = watches > 1 ? ` of ${watches} watches` : '';
  const runs = [
    ...(checks > 0 ? [`${plural(checks, 'check')}${of}`] : []),
    ...(digests > 0 ? [plural(digests, 'digest')] : []),
  ];
  return `${runs.length === 0 ? 'nothing is due' : runs.join(', ')}, ${describeWait(takesMs)}`;
}

const describeWait = (ms: number): string => (ms < 750 ? 'under 1 s' : `about ${Math.round(ms / 1000)} s`);

/** The result of a move: `12 checks, 1 alert.` */
export function describeResult(result: {
  readonly checks: number;
  readonly alerts: number;
  readonly digests: number;
}): string {
  const { checks, alerts, digests } = result;
  const news = [...(alerts > 0 ? [plural(alerts, 'alert')] : []), ...(digests > 0 ? [plural(digests, 'digest')] : [])];
  if (checks === 0 && news.length === 0) return 'Nothing was due.';
  const done = checks > 0 ? [plural(checks, 'check')] : [];
  return `${[...done, ...(news.length === 0 ? ['nothing to report'] : news)].join(', ')}.`;
}
