/**
 * What each part of the rule is worth: the same weeks or windows are searched with one part switched off, and compared. A
 * part is switched off by changing its source while it's loaded, so the rule itself knows nothing of switches.
 */
import { registerHooks } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { type RareOutcome, type rareOutcome, rareWeeks } from './rare.ts';
import { type LabelledStream, labelledStreams } from './streams.ts';
import { number, table } from './tables.ts';
import { GENERATORS } from './traffic/generators.ts';
import { createRandom } from './traffic/random.ts';
import { thirdWeeks } from './traffic/third/weeks.ts';
import type { WeekOutcome, weekOutcome } from './weeks.ts';
import {
  isCalled,
  isDetectable,
  isDropNamed,
  isDrop as isDropOf,
  isLevelRight,
  isNormal,
  type outcomeOf,
  shareOf,
  sitesOf,
  type WindowOutcome,
  type WindowSite,
} from './window-outcomes.ts';
import { labelledWindows } from './windows.ts';

/** In a file whose path ends so, what stands there once, and what takes its place. */
export type Change = readonly [file: string, from: string, to: string];

const SITE = 'episodes/verdict/site.ts';
const PRESENT = 'episodes/verdict/present.ts';
const RISES = 'episodes/verdict/rises.ts';
const RULE_OF_CATEGORIES = 'episodes/verdict/categories.ts';
const DROPS = 'episodes/verdict/drops.ts';
const CATEGORIES = 'episodes/find-categories.ts';
const TAKEOVERS = 'episodes/find-takeovers.ts';
const CLOCK = 'time/zones/zones.ts';

const withoutMinutes = (minutes: number): Change => [
  RISES,
  'of site.tails)',
  `of site.tails.filter((each) => each.lengthMs !== ${minutes} * MINUTE_MS))`,
];

/** The parts by name, and how each is switched off. */
export const PARTS: Readonly<Record<string, readonly Change[]>> = {
  visitors: [[PRESENT, 'ratio > VISITORS.matterFrom ?', 'ratio === Number.POSITIVE_INFINITY ?']],
  'visitors, only from 1.15 on': [[PRESENT, 'ratio > VISITORS.matterFrom ?', 'ratio > 1 ?']],
  'visitors, at most four times': [[PRESENT, 'Math.min(ratio, VISITORS.max)', 'ratio']],
  'visitors, few an hour': [
    [PRESENT, '(seen + VISITORS.fewAnHour) / (expected + VISITORS.fewAnHour)', '(seen + 1) / (expected + 1)'],
  ],
  'leaving out two of the weeks': [[SITE, 'values.length < 3', 'values.length < 9']],
  'the last three days, for new sites': [[SITE, 'weeks.length < 2 ?', 'weeks.length < 0 ?']],
  'the level of the last day': [[SITE, 'median(ratios) || 1', '1']],
  'few events a day': [[SITE, 'EXPECTED.fewADay / (24 * perHour)', '0.1 / (24 * perHour)']],
  'limits of the level': [
    [
      SITE,
      'Math.min(EXPECTED.maxGrowth, Math.max(1 / EXPECTED.maxGrowth, median(ratios) || 1))',
      'median(ratios) || 1',
    ],
  ],
  'the level held in long rises': [['episodes/episode.ts', 'toMs - fromMs > RISE.longMs', 'toMs < fromMs']],
  'smoothed weeks': [[SITE, 'mean(at - around, at + around + 1)', 'counts[at]! + 0 * around']],
  'later weeks, in the past': [[SITE, '...days.map((each) => -each)]', ']']],
  'the day before, by the median of five hours': [
    [SITE, 'Number.isNaN(steady) ? thenOf(only)', 'steady >= 0 ? thenOf(only)'],
  ],
  'hours of long attacks, left out of the level': [[PRESENT, 'toMs <= ms && !isUsual', 'toMs < 0 && !isUsual']],
  'the clock of earlier weeks': [[CLOCK, 'offsets.length < 2 ? byDays', 'offsets.length > 0 ? byDays']],
  "the site's own spread": [[SITE, 'squares.length / (squares.length + PRIOR.stretches)', '0']],
  'what is assumed of spread': [[SITE, 'squares.length / (squares.length + PRIOR.stretches)', '1']],
  "the site's own tail": [[SITE, 'from: weighted(seenFrom, PRIOR.from)', 'from: PRIOR.from']],
  'the slope of its tail': [[SITE, '(excess + PRIOR.peaks * PRIOR.slope) / (counted + PRIOR.peaks)', 'PRIOR.slope']],
  'what is assumed of tails': [
    [
      SITE,
      '(seen * known.length + prior * PRIOR.hours) / (known.length + PRIOR.hours)',
      'known.length === 0 ? prior : seen',
    ],
  ],
  'what is assumed of slopes': [
    [SITE, '(excess + PRIOR.peaks * PRIOR.slope) / (counted + PRIOR.peaks)', '(excess + PRIOR.slope) / (counted + 1)'],
  ],
  'peaks that may have been attacks': [[SITE, 'Math.min(attacksIn(known.length),', 'Math.min(0,']],
  'what came often is no rarer': [[SITE, 'asHigh > attacksIn(hours) ?', 'asHigh < 0 ?']],
  'occasions apart from each other': [[SITE, 'hour - last <= RARITY.apartHours', 'hour < last']],
  'what came in two weeks': [[RISES, 'expected = expectedByRepetition(', 'expected = ((..._: unknown[]) => usual)(']],
  'what came in two weeks, a little more in three': [[RISES, ' || isAbove(third, REPETITION.inThree)', '']],
  'what came in two weeks, early or late': [[RISES, 'of REPETITION.shifts)', 'of [0])']],
  'what came in two weeks, by UTC': [[RISES, '[lag, ((week + 1) * WEEK_MS) / site.stepMs]', '[lag]']],
  'at least eight more': [
    [RISES, 'Math.max(RISE.excess, (RISE.hourShare * expected) / hours)', '(RISE.hourShare * expected) / hours'],
  ],
  'a fifth of an hour': [[RISES, '(RISE.hourShare * expected) / hours', '0 * hours']],
  'the sharpest stretch first': [[RISES, 'b.sharpness - a.sharpness', 'b.strength - a.strength']],
  'stretches of 20 minutes': [withoutMinutes(20)],
  'stretches of 30 minutes': [withoutMinutes(30)],
  'stretches of an hour': [withoutMinutes(60)],
  'stretches of four hours': [withoutMinutes(240)],
  'surges within ten minutes': [[RISES, 'SURGE.withinMs.map(', 'SURGE.withinMs.slice(1).map(']],
  'categories busier than ever': [
    [CATEGORIES, 'suspectCategories(counted, month);', 'suspectCategories(counted, month).slice(0, 0);'],
  ],
  'small categories only in answers': [[RULE_OF_CATEGORIES, 'CATEGORY.hourShare * anHour', '0 * anHour']],
  'categories, all days but one': [
    [
      RULE_OF_CATEGORIES,
      'CATEGORY.timesBusiest * oneLess',
      'CATEGORY.timesBusiest * Math.max(busiest[0] ?? 0, oneLess)',
    ],
  ],
  'categories, a fiftieth of enough': [[RULE_OF_CATEGORIES, 'CATEGORY.inPiece * enough', '0 * enough']],
  takeovers: [[TAKEOVERS, 'const busy = hours.filter(', 'const busy = hours.slice(0, 0).filter(']],
  'takeovers, the others right before': [[TAKEOVERS, 'Math.min(usual.others, othersBefore())', 'usual.others']],
  'takeovers, of the block before': [[TAKEOVERS, 'return isOlder ?', 'return isOlder && false ?']],
  'takeovers, the same hour before': [
    [RULE_OF_CATEGORIES, 'Math.max(onTheWhole, ...atThatHour)', 'onTheWhole + 0 * atThatHour.length'],
  ],
  'takeovers, the half day before': [[TAKEOVERS, 'before === null ? [month] : [month, before]', '[month]']],
  'takeovers, beside a flood': [[RULE_OF_CATEGORIES, 'Math.min(anHour, usual ?? anHour)', 'anHour']],
  'takeovers, in a quarter of an hour': [
    [TAKEOVERS, 'TAKEOVER.lengthsMs.flatMap(', 'TAKEOVER.lengthsMs.slice(1).flatMap('],
  ],
  'takeovers, weaker ones only named': [
    [RULE_OF_CATEGORIES, 'if (strength >= TAKEOVER.strength) return', 'if (strength >= BARS.sensitive) return'],
  ],
  'takeovers, weaker ones that are long': [[TAKEOVERS, 'isLong ? BARS.normal : 0', 'isLong ? 0 : 0']],
  'takeovers, only without a rise': [[TAKEOVERS, ' || counted.observed >= RISE.ratio * counted.expected', '']],
  'categories across noon and midnight': [
    [CATEGORIES, 'if (countedMs - stopMs >= pauseMs)', 'if (countedMs >= endMs || countedMs - stopMs >= pauseMs)'],
    [CATEGORIES, 'older.length === 0 ? own', 'older.length >= 0 ? own'],
  ],
  'categories, followed for a day': [
    [CATEGORIES, 'countedMs <= span.untilMs) return span;', 'countedMs > 0) return span;'],
  ],
  'categories, longer pauses of slow ones': [
    [RULE_OF_CATEGORIES, 'Math.min(MIX.longestPauseMs,', 'Math.min(MIX.pauseMs,'],
  ],
  'categories that grow with all others': [
    [CATEGORIES, '<= CATEGORY.times * usual * totalOf(counted)', '< 0 * usual * totalOf(counted)'],
  ],
  'categories named without a wait': [[CATEGORIES, '...stepAt(enough, BARS.check, 0),', '']],
  'categories as parts of rises, only of those that alert': [
    [CATEGORIES, 'alertsFrom(rise, BARS.normal) <=', 'alertsFrom(rise, BARS.check) <='],
    [CATEGORIES, '(await rises).filter(({ strength }) => strength >= BARS.normal)', 'await rises'],
  ],
  'categories as parts of rises': [[CATEGORIES, 'explained[at] !== true', '(explained[at] !== true || true)']],
  'categories that a rise had before': [
    [CATEGORIES, 'countsIn)))).includes(true);', 'countsIn)))).includes(true) && mix.onsetMs < 0;'],
  ],
  'categories as parts of rises, if most came in them': [
    [CATEGORIES, '|| !(await mostlyIn(rises, mix, countsIn))', ''],
  ],
  'attacks gone only while visitors go on': [[DROPS, '< DROPS.visitorsGoOn', '< 0']],
  'drops, a little more to alert': [
    [DROPS, 'alertsFromMs = enoughFrom(compared, DROPS.watch[what])', 'alertsFromMs = saidFromMs'],
  ],
  'drops, no more than the weeks had': [
    [PRESENT, '=> Math.min(byLevel, byWeeks))', '=> byLevel + 0 * byWeeks)'],
    [PRESENT, 'Math.min(each.byLevel, each.fallenFrom)', 'each.byLevel'],
  ],
  'drops, on a first day from the hour before': [
    [PRESENT, 'scale * rateIn(hourMs - HOUR_MS) : byWeeks', 'byLevel : byWeeks'],
  ],
  'drops, silence beside it': [[SITE, 'isBeside || isFew(at', '(isBeside && isFew(at, -1)) || isFew(at']],
  'drops, not those of every day on young sites': [[SITE, 'known.length < 2 ? [...known, ...days] : weeks', 'weeks']],
  'visitors who are merely back': [
    [
      PRESENT,
      'return Math.min(byLevel * times(ofVisitors[at]?.byLevel), atMost)',
      'return byLevel * times(ofVisitors[at]?.byLevel) + 0 * atMost',
    ],
  ],
  'drops, not those of every week': [
    [DROPS, 'isSilentAgain(site, of,', 'Number.isNaN(isSilentAgain(site, of,'],
    [DROPS, '(startMs + endMs) / 2);', '(startMs + endMs) / 2));'],
  ],
};

/** Parts that don't change what is usual read each block once for all of them: that takes most of the time. */
const SHARED: Change = [
  'episodes/block.ts',
  'export async function readBlock(',
  `export const readBlock = (...asked) => globalThis.onceInSource(\`KEY \${asked[1]}\`, () => readBlockOnce(...asked));
async function readBlockOnce(`,
];
const ofSource = new Map<string, unknown>();
Object.assign(globalThis, {
  onceInSource(key: string, read: () => unknown): unknown {
    if (!ofSource.has(key)) ofSource.set(key, read());
    return ofSource.get(key);
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
      const isOwn = changes.some(([file]) => [SITE, PRESENT, CLOCK].includes(file));
      const shared: Change = [SHARED[0], SHARED[1], SHARED[2].replace('KEY', isOwn ? `${part}` : '')];
      return { ...loaded, source: changed(String(loaded.source), [...changes, shared], url.split('?')[0] ?? '') };
    },
  });
}

/** What the whole rule and each part's absence make of the same sources, in the same order. */
type Compared<T> = readonly (readonly T[])[];

async function compare<S, T>(
  names: readonly string[],
  sources: Iterable<S>,
  load: (without: string) => Promise<(source: S) => Promise<T>>,
): Promise<Compared<T>> {
  switchOff();
  const all = Object.keys(PARTS);
  const rules: ((source: S) => Promise<T>)[] = [];
  for (const at of [all.length, ...names.map((name) => all.indexOf(name))]) rules.push(await load(`?without=${at}`));
  const outcomes: T[][] = rules.map(() => []);
  for (const source of sources) {
    ofSource.clear();
    for (const [at, rule] of rules.entries()) outcomes[at]?.push(await rule(source));
  }
  return outcomes;
}

function* sourcesOf<S>(seeds: readonly number[], of: (seed: number, generator: Generator) => Iterable<S>): Iterable<S> {
  for (const seed of seeds) for (const generator of GENERATORS) yield* of(seed, generator);
}

type Generator = (typeof GENERATORS)[number];

type Measure<T> = (some: readonly T[]) => number;

const partIn =
  (
    isMeant: (kind: string) => boolean,
    isHit: (event: WeekOutcome['events'][number]) => boolean,
  ): Measure<WeekOutcome> =>
  (weeks) => {
    const events = weeks.flatMap((week) => week.events.filter(({ kind, detectable }) => detectable && isMeant(kind)));
    return (100 * events.filter(isHit).length) / events.length;
  };
const isDrop = (kind: string): boolean => kind.endsWith('gone');
const isMixOf = ({ truth }: WindowOutcome): boolean => isMix(truth.event ?? '');
const isMix = (kind: string): boolean => kind === 'takeover' || kind === 'new category';
const sumOf = (weeks: readonly WeekOutcome[], of: (week: WeekOutcome) => number): number =>
  weeks.reduce((sum, week) => sum + of(week), 0);

const medianDelay: Measure<WeekOutcome> = (weeks) => {
  const delays = weeks.flatMap(({ events }) =>
    events.flatMap((event) => (isDrop(event.kind) ? [] : (event.delay ?? []))),
  );
  return delays.toSorted((a, b) => a - b)[Math.floor(delays.length / 2)] ?? Number.NaN;
};

/** One event should be one episode, so one message, or another when it gets worse. */
const messagesAbout: Measure<WeekOutcome> = (weeks) => {
  const found = weeks.flatMap(({ events }) => events.filter(({ delay }) => delay !== null));
  return found.reduce((sum, { messages }) => sum + messages, 0) / found.length;
};

type Measures<T> = readonly (readonly [name: string, better: 'more' | 'fewer', digits: number, measure: Measure<T>])[];

const OF_WEEKS: Measures<WeekOutcome> = [
  ['false messages a week', 'fewer', 2, (weeks) => sumOf(weeks, ({ falseAt }) => falseAt.length) / weeks.length],
  [
    'found by a watch',
    'more',
    1,
    partIn(
      (kind) => !isDrop(kind),
      ({ delay }) => delay !== null,
    ),
  ],
  [
    'rises named',
    'more',
    1,
    partIn(
      (kind) => !isDrop(kind) && !isMix(kind),
      ({ named }) => named,
    ),
  ],
  ['mixes named', 'more', 1, partIn(isMix, ({ named }) => named)],
  [
    'normal windows called',
    'fewer',
    2,
    (weeks) => (100 * sumOf(weeks, (week) => week.flagged)) / sumOf(weeks, (week) => week.windows),
  ],
  ['drops found', 'more', 1, partIn(isDrop, ({ delay }) => delay !== null)],
  ['messages about an event that was found', 'fewer', 2, messagesAbout],
  ['median delay', 'fewer', 0, medianDelay],
];

const inWindows =
  (isMeant: (window: WindowOutcome) => boolean, isHit: (window: WindowOutcome) => boolean): Measure<WindowSite> =>
  (sites) =>
    100 * shareOf(sites.flat().filter(isMeant), isHit);
const isSeen = (window: WindowOutcome): boolean => isDetectable(window) && !isNormal(window);

const OF_WINDOWS: Measures<WindowSite> = [
  ['rises named', 'more', 1, inWindows((window) => isSeen(window) && !isDropOf(window) && !isMixOf(window), isCalled)],
  ['mixes named', 'more', 1, inWindows((window) => isSeen(window) && isMixOf(window), isCalled)],
  [
    'level right',
    'more',
    1,
    inWindows(
      (window) => isSeen(window) && isLevelRight(window) !== null,
      (window) => isLevelRight(window) === true,
    ),
  ],
  ['normal windows called', 'fewer', 2, inWindows(isNormal, isCalled)],
  ['drops named', 'more', 1, inWindows((window) => isSeen(window) && isDropOf(window), isDropNamed)],
  [
    'drops named in others',
    'fewer',
    2,
    inWindows(
      (window) => !isDropOf(window),
      ({ verdict }) => verdict.drops.length > 0,
    ),
  ],
];

const DRAWS = 400;

/** The difference that a part's absence makes, and where it lies in 95 of 100 draws of as many. */
function difference<T>(whole: readonly T[], without: readonly T[], measure: Measure<T>) {
  const random = createRandom(whole.length, 37);
  const drawn = (all: readonly T[], at: readonly number[]): T[] =>
    at.map((each) => all[each]).filter((each) => each !== undefined);
  const between = (at: readonly number[]): number => measure(drawn(without, at)) - measure(drawn(whole, at));
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

/** Weeks of all three generators. */
export function* weeksOf(seeds: readonly number[], weeks: number) {
  for (const seed of seeds) {
    for (const generator of GENERATORS) yield* labelledStreams(seed, weeks, generator);
    yield* thirdWeeks(seed, weeks);
  }
}

/** Parts by what their absence changes in weeks, in points and in messages; all of them without `names`. */
export async function ablation(names: readonly string[], streams: Iterable<LabelledStream>): Promise<string[]> {
  const parts = partsNamed(names);
  const compared = await compare(parts, streams, async (without) => {
    const module: { weekOutcome: typeof weekOutcome } = await import(`./weeks.ts${without}`);
    return (stream) => module.weekOutcome(stream, []);
  });
  const normal = sumOf(compared[0] ?? [], ({ windows }) => windows);
  return [`${normal} normal windows; by weeks:`, ...comparedTables(parts, compared, OF_WEEKS)];
}

/** The same by hard windows, in points. Those of one site are drawn together. */
export async function ablationOnWindows(
  names: readonly string[],
  seeds: readonly number[],
  sites: number,
): Promise<string[]> {
  const windows = sourcesOf(seeds, (seed, generator) =>
    labelledWindows(seed, sites, generator).map((window) => ({ ...window, generator: generator.name })),
  );
  const parts = partsNamed(names);
  const compared = await compare(parts, windows, async (without) => {
    const module: { outcomeOf: typeof outcomeOf } = await import(`./window-outcomes.ts${without}`);
    return module.outcomeOf;
  });
  const bySite = compared.map(sitesOf);
  return [`${compared[0]?.length ?? 0} windows; by sites:`, ...comparedTables(parts, bySite, OF_WINDOWS)];
}

const ofRare = (of: (outcome: RareOutcome) => number, each: (outcome: RareOutcome) => number): Measure<RareOutcome> => {
  const sum = (some: readonly RareOutcome[], value: typeof of): number =>
    some.reduce((all, one) => all + value(one), 0);
  return (some) => sum(some, of) / sum(some, each);
};

const OF_RARE: Measures<RareOutcome> = [
  [
    'hours named',
    'more',
    1,
    ofRare(
      ({ named }) => 100 * named,
      ({ seen }) => seen,
    ),
  ],
  [
    'found by a watch',
    'more',
    1,
    ofRare(
      ({ found }) => 100 * found,
      ({ events }) => events,
    ),
  ],
  [
    'false messages a week',
    'fewer',
    2,
    ofRare(
      ({ falseMessages }) => falseMessages,
      () => 1,
    ),
  ],
  [
    'calm hours called',
    'fewer',
    2,
    ofRare(
      ({ flagged }) => 100 * flagged,
      ({ windows }) => windows,
    ),
  ],
  [
    'messages for each',
    'fewer',
    2,
    ofRare(
      ({ messages }) => messages,
      ({ found }) => found,
    ),
  ],
  [
    '“over” while it goes on',
    'fewer',
    2,
    ofRare(
      ({ overEarly }) => overEarly,
      ({ found }) => found,
    ),
  ],
];

/** The same by weeks of what comes seldom. */
export async function ablationOnRare(
  names: readonly string[],
  situations: readonly string[],
  seeds: readonly number[],
  weeks: number,
): Promise<string[]> {
  function* sources() {
    for (const situation of situations) for (const seed of seeds) yield* rareWeeks(situation, seed, weeks);
  }
  const parts = partsNamed(names);
  const compared = await compare(parts, sources(), async (without) => {
    const module: { rareOutcome: typeof rareOutcome } = await import(`./rare.ts${without}`);
    return module.rareOutcome;
  });
  return ['Weeks of what comes seldom:', ...comparedTables(parts, compared, OF_RARE, ({ situation }) => situation)];
}

function partsNamed(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length > 0) throw new Error(`There is no part called ${unknown.join(', ')}.`);
  return names.length === 0 ? Object.keys(PARTS) : names;
}

/** With `placeOf`, the places in which most changes are named. */
function comparedTables<T>(
  parts: readonly string[],
  [whole = [], ...without]: Compared<T>,
  measures: Measures<T>,
  placeOf?: (outcome: T) => string,
) {
  const base = measures.map(([name, , digits, measure]) => `${name} ${number(measure(whole), digits)}`).join(', ');
  const compared = parts.map((name, at) => {
    const other = without[at] ?? [];
    const changed = whole.filter((each, index) => !isDeepStrictEqual(each, other[index]));
    const same = whole.length - changed.length;
    const places = placeOf === undefined ? [] : [mostOf(changed.map(placeOf))];
    const differences = measures.map(([, , , measure]) => difference(whole, other, measure));
    const isWorthIt = measures.some(([, better], index) => {
      const { low = 0, high = 0 } = differences[index] ?? {};
      return better === 'more' ? high < 0 : low > 0;
    });
    const cells = measures.map(([, , digits], index) => {
      const each = differences[index];
      return each === undefined ? '' : inWords(each, digits);
    });
    return { isWorthIt, row: [name, String(same), ...cells, ...places] };
  });
  const tableOf = (worthIt: boolean): string =>
    table(
      ['without', 'the same', ...measures.map(([name]) => name), ...(placeOf === undefined ? [] : ['most of it in'])],
      compared.filter(({ isWorthIt }) => isWorthIt === worthIt).map(({ row }) => row),
    );
  return [
    `${whole.length}, the whole rule: ${base}.`,
    '**Worth it:** without it, something is worse.',
    tableOf(true),
    '**Not shown to be worth it:**',
    tableOf(false),
  ];
}

function mostOf(places: readonly string[]): string {
  const counts = Object.entries(Object.groupBy(places, (place) => place)).map(
    ([place, all = []]) => [place, all.length] as const,
  );
  const most = counts.toSorted(([, a], [, b]) => b - a).slice(0, 2);
  return most.map(([place, count]) => `${place} (${count})`).join(', ') || '–';
}
