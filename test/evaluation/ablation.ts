/**
 * What each part of the rule is worth: the same weeks are searched with one part switched off, and compared week by week. A
 * part is switched off by changing its source while it's loaded, so the rule itself knows nothing of switches.
 */
import { registerHooks } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { labelledStreams } from './streams.ts';
import { number, table } from './tables.ts';
import { GENERATORS } from './traffic/generators.ts';
import { createRandom } from './traffic/random.ts';
import type { WeekOutcome, weekOutcome } from './weeks.ts';

/** In a file whose path ends so, what stands there once, and what takes its place. */
export type Change = readonly [file: string, from: string, to: string];

const SITE = 'episodes/verdict/site.ts';
const PRESENT = 'episodes/verdict/present.ts';
const RISES = 'episodes/verdict/rises.ts';
const MIXES = 'episodes/verdict/mixes.ts';
const DROPS = 'episodes/verdict/drops.ts';
const FIND = 'episodes/find-episodes.ts';

const withoutMinutes = (minutes: number): Change => [
  RISES,
  'of site?.tails ?? PRIOR_TAILS)',
  `of (site?.tails ?? PRIOR_TAILS).filter((each) => each.lengthMs !== ${minutes} * MINUTE_MS))`,
];

/** The parts by name, and how each is switched off. */
export const PARTS: Readonly<Record<string, readonly Change[]>> = {
  'silences taken for unknown': [[SITE, '(at - from) * usual >= EXPECTED.neverSilent', 'from < 0']],
  visitors: [[PRESENT, 'ratio > VISITORS.matterFrom ?', 'ratio === Number.POSITIVE_INFINITY ?']],
  'leaving out two of the weeks': [[SITE, 'values.length < 3', 'values.length < 9']],
  'the last three days, for new sites': [[SITE, 'if (found.length < 2)', 'if (found.length < 0)']],
  'the level of the last day': [[SITE, '(level + few) / (before + few)', '1 + 0 * before']],
  'limits of the level': [[SITE, 'Math.min(EXPECTED.maxGrowth, Math.max(1 / EXPECTED.maxGrowth, growth))', 'growth']],
  'leaving out hours of a day': [[SITE, 'Math.min(EXPECTED.leftOutHours, Math.floor(day.length / 6))', '0']],
  'smoothed weeks': [[SITE, 'mean(at - around, at + around + 1)', 'counts[at]! + 0 * around']],
  'later weeks, in the past': [[SITE, '[...all, ...all.map((lag) => -lag)]', '[...all]']],
  "the site's own spread": [[SITE, 'squares.length / (squares.length + PRIOR.stretches)', '0']],
  "the site's own tail": [[SITE, 'from: weighted(seenFrom, PRIOR.from)', 'from: PRIOR.from']],
  'the slope of its tail': [
    [
      SITE,
      'Math.max(RARITY.minSlope, (excess + PRIOR.peaks * PRIOR.slope) / (peaks.length + PRIOR.peaks))',
      'PRIOR.slope',
    ],
  ],
  'occasions apart from each other': [[SITE, 'hour - last <= RARITY.apartHours', 'hour < last']],
  'what came in two weeks': [[RISES, 'site === null ? 0 : cameTwice(site, span)', '0']],
  'what came in two weeks, early or late': [[RISES, 'const all = REPETITION.shifts', 'const all = [0]']],
  'a fifth of an hour': [[RISES, '(RISE.hourShare * due) / hours', '0 * hours']],
  'the sharpest stretch first': [[RISES, 'b.sharpness - a.sharpness', 'b.strength - a.strength']],
  'stretches of 10 minutes': [withoutMinutes(10)],
  'stretches of 20 minutes': [withoutMinutes(20)],
  'stretches of 30 minutes': [withoutMinutes(30)],
  'stretches of an hour': [withoutMinutes(60)],
  'stretches of four hours': [withoutMinutes(240)],
  'surges within ten minutes': [[RISES, 'SURGE.withinMs.map(', 'SURGE.withinMs.slice(1).map(']],
  'categories busier than ever': [
    [FIND, 'suspectCategories(counted, weeks);', 'suspectCategories(counted, weeks).slice(0, 0);'],
  ],
  'small categories only in answers': [[MIXES, 'Math.max(from, CATEGORY.hourShare * anHour)', 'from + 0 * anHour']],
  takeovers: [[FIND, 'const grown = parts.filter(', 'const grown = parts.slice(0, 0).filter(']],
  'takeovers, two hours before': [[FIND, 'due : Math.min(due, earlier.due)', 'due : due']],
  'takeovers, the half day before': [[FIND, 'before === null ? [weeks] : [weeks, before]', '[weeks]']],
  'takeovers, in a quarter of an hour': [[FIND, 'TAKEOVER.lengthsMs.flatMap(', 'TAKEOVER.lengthsMs.slice(1).flatMap(']],
  'takeovers, far larger': [[MIXES, 'strength + larger >= TAKEOVER.strength ? BARS.sensitive : 0', '0 * larger']],
  'takeovers, only without a rise': [[FIND, 'if (came >= RISE.ratio * due) return 0;', '']],
  'categories named without a wait': [[FIND, '...stepAt(enough, BARS.check, 0),', '']],
  'categories as parts of rises, only of those that alert': [
    [FIND, 'alertsFrom(rise, BARS.normal) <=', 'alertsFrom(rise, BARS.check) <='],
    [FIND, '(await rises).filter(({ strength }) => strength >= BARS.normal)', 'await rises'],
  ],
  'categories as parts of rises': [[FIND, '!isExplained(mix)', '(!isExplained(mix) || true)']],
  'categories of a rise that goes on': [[FIND, '|| goesOn(mix, rise)', '|| (rise.onsetMs < 0 && goesOn(mix, rise))']],
  'categories as parts of rises, if most came in them': [
    [FIND, '&& mostlyIn(risen, mix)', '&& (mostlyIn(risen, mix) || true)'],
  ],
  'attacks gone only while visitors go on': [[DROPS, '>= DROPS.visitorsGoOn', '>= 0']],
  'drops, a little more to alert': [
    [DROPS, 'alertsFromMs = enoughFrom(run, DROPS.watch[what])', 'alertsFromMs = saidFromMs'],
  ],
  'drops as of their beginning': [[FIND, 'drop.untilMs - drop.sinceMs <= HOUR_MS', 'drop.untilMs > 0']],
};

/** Parts that don't change what is usual read each block once for all of them: that takes most of the time. */
const SHARED: Change = [
  'episodes/block.ts',
  'export async function readBlock(',
  `export const readBlock = (...asked) => globalThis.onceInWeek(\`KEY \${asked[1]}\`, () => readBlockOnce(...asked));
async function readBlockOnce(`,
];
const ofWeek = new Map<string, unknown>();
Object.assign(globalThis, {
  onceInWeek(key: string, read: () => unknown): unknown {
    if (!ofWeek.has(key)) ofWeek.set(key, read());
    return ofWeek.get(key);
  },
});

const HERE = new URL('.', import.meta.url).href;
const SRC = new URL('../../src/', import.meta.url).href;

/** Which part is switched off in a module: its address says so, and so do those of all that it imports. */
const partOf = (url: string | undefined): number | null => {
  const at = url?.split('?without=')[1];
  return at === undefined ? null : Number(at);
};

export function changed(source: string, changes: readonly Change[], url: string): string {
  let text = source;
  for (const [file, from, to] of changes) {
    if (!url.endsWith(file)) continue;
    if (text.split(from).length !== 2) throw new Error(`${file} doesn't hold this once: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

function switchOff(): void {
  const parts = Object.values(PARTS);
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const part = partOf(context.parentURL);
      const isOurs = found.url.startsWith(HERE) || found.url.startsWith(SRC);
      return part === null || !isOurs ? found : { ...found, url: `${found.url}?without=${part}` };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const part = partOf(url);
      if (part === null) return loaded;
      const changes = parts[part] ?? [];
      const isOwn = changes.some(([file]) => file === SITE || file === PRESENT);
      const shared: Change = [SHARED[0], SHARED[1], SHARED[2].replace('KEY', isOwn ? `${part}` : '')];
      return { ...loaded, source: changed(String(loaded.source), [...changes, shared], url.split('?')[0] ?? '') };
    },
  });
}

/** Weeks as the whole rule and each part's absence see them, in the same order. */
type Compared = readonly (readonly WeekOutcome[])[];

async function compare(names: readonly string[], seeds: readonly number[], weeks: number): Promise<Compared> {
  switchOff();
  const all = Object.keys(PARTS);
  const rules: (typeof weekOutcome)[] = [];
  for (const at of [all.length, ...names.map((name) => all.indexOf(name))]) {
    const module: { weekOutcome: typeof weekOutcome } = await import(`./weeks.ts?without=${at}`);
    rules.push(module.weekOutcome);
  }
  const outcomes: WeekOutcome[][] = rules.map(() => []);
  for (const seed of seeds) {
    for (const generator of GENERATORS) {
      for (const stream of labelledStreams(seed, weeks, generator)) {
        ofWeek.clear();
        for (const [at, rule] of rules.entries()) outcomes[at]?.push(await rule(stream, []));
      }
    }
  }
  return outcomes;
}

type Measure = (weeks: readonly WeekOutcome[]) => number;

const partIn =
  (isMeant: (kind: string) => boolean, isHit: (event: WeekOutcome['events'][number]) => boolean): Measure =>
  (weeks) => {
    const events = weeks.flatMap((week) => week.events.filter(({ kind, detectable }) => detectable && isMeant(kind)));
    return (100 * events.filter(isHit).length) / events.length;
  };
const isDrop = (kind: string): boolean => kind.endsWith('gone');
const isMix = (kind: string): boolean => kind === 'takeover' || kind === 'new category';
const sumOf = (weeks: readonly WeekOutcome[], of: (week: WeekOutcome) => number): number =>
  weeks.reduce((sum, week) => sum + of(week), 0);

const medianDelay: Measure = (weeks) => {
  const delays = weeks.flatMap(({ events }) =>
    events.flatMap((event) => (isDrop(event.kind) ? [] : (event.delay ?? []))),
  );
  return delays.toSorted((a, b) => a - b)[Math.floor(delays.length / 2)] ?? Number.NaN;
};

const MEASURES: readonly (readonly [name: string, digits: number, measure: Measure])[] = [
  ['false messages a week', 2, (weeks) => sumOf(weeks, ({ falseAt }) => falseAt.length) / weeks.length],
  [
    'found by a watch',
    1,
    partIn(
      (kind) => !isDrop(kind),
      ({ delay }) => delay !== null,
    ),
  ],
  [
    'rises named',
    1,
    partIn(
      (kind) => !isDrop(kind) && !isMix(kind),
      ({ named }) => named,
    ),
  ],
  ['mixes named', 1, partIn(isMix, ({ named }) => named)],
  [
    'normal windows called',
    2,
    (weeks) => (100 * sumOf(weeks, (week) => week.flagged)) / sumOf(weeks, (week) => week.windows),
  ],
  ['drops found', 1, partIn(isDrop, ({ delay }) => delay !== null)],
  ['median delay', 0, medianDelay],
];

const DRAWS = 400;

/** The difference that a part's absence makes, and where it lies in 95 of 100 draws of as many weeks. */
function difference(whole: readonly WeekOutcome[], without: readonly WeekOutcome[], measure: Measure) {
  const random = createRandom(whole.length, 37);
  const between = (weeks: readonly number[]): number =>
    measure(weeks.flatMap((at) => without[at] ?? [])) - measure(weeks.flatMap((at) => whole[at] ?? []));
  const indices = [...whole.keys()];
  const draws = Array.from({ length: DRAWS }, () => between(indices.map(() => random.pick(indices)))).sort(
    (a, b) => a - b,
  );
  return {
    value: between(indices),
    low: draws[Math.floor(DRAWS * 0.025)] ?? 0,
    high: draws[Math.floor(DRAWS * 0.975)] ?? 0,
  };
}

const signed = (value: number, digits: number): string =>
  Number(value.toFixed(digits)) === 0 ? '0' : `${value > 0 ? '+' : ''}${number(value, digits)}`.replace('-', '−');

/** Bold if its interval excludes zero. */
function inWords({ value, low, high }: ReturnType<typeof difference>, digits: number): string {
  const [lowest, most, highest] = [low, value, high].map((each) => signed(each, digits));
  if (lowest === '0' && highest === '0') return '0';
  const words = `${most} (${lowest} to ${highest})`;
  return low > 0 || high < 0 ? `**${words}**` : words;
}

/** Parts by what their absence changes, in points and in messages; all of them without `names`. */
export async function ablation(names: readonly string[], seeds: readonly number[], weeks: number): Promise<string[]> {
  const parts = names.length === 0 ? Object.keys(PARTS) : names;
  const [whole = [], ...without] = await compare(parts, seeds, weeks);
  const base = MEASURES.map(([name, digits, measure]) => `${name} ${number(measure(whole), digits)}`).join(', ');
  const rows = parts.map((name, at) => {
    const other = without[at] ?? [];
    const same = whole.filter((week, index) => isDeepStrictEqual(week, other[index])).length;
    const differences = MEASURES.map(([, digits, measure]) => inWords(difference(whole, other, measure), digits));
    return [name, String(same), ...differences];
  });
  return [
    `${whole.length} weeks with ${sumOf(whole, (week) => week.windows)} normal windows, the whole rule: ${base}.`,
    table(['without', 'the same', ...MEASURES.map(([name]) => name)], rows),
  ];
}
