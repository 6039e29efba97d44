/** Weeks without any wave, watched every ten minutes: how often would a channel be called for nothing? */

import { judge } from '../../src/insight/verdict/index.ts';
import { advance, pendingUpdate } from '../../src/subscriptions/watch/episode-lifecycle.ts';
import { observeVerdict } from '../../src/subscriptions/watch/observation.ts';
import { withShown } from '../../src/subscriptions/watch/publish-episode.ts';
import { INITIAL_STATE, type WatchState } from '../../src/subscriptions/watch/watch-state.ts';
import { answersFor } from './answers.ts';
import { publishedRule } from './published-rule.ts';
import { SITES } from './sites.ts';

const WEEK = 7 * 1440;
const TICK = 10;
const QUIET = 120;

export interface QuietWeek {
  readonly site: string;
  /** Messages of a watch. */
  readonly ours: number;
  /** Alarms of the published rule, at most one in two hours. */
  readonly published: number;
}

export function quietWeek(seed: number, siteName: string): QuietWeek {
  const site = SITES.find(({ name }) => name === siteName);
  if (site === undefined) throw new Error(`no site ${siteName}`);
  const from = Date.UTC(2026, 4, 4) / 60_000;
  const world = { seed, hosts: site.hosts, waves: [], seededWaves: false };
  const answers = answersFor(
    { kind: 'week', site, world, fromMinute: from - 60, toMinute: from, wave: null, size: 1, hole: null, without: [] },
    from + WEEK,
  );
  let state: WatchState = INITIAL_STATE;
  let ours = 0;
  let published = 0;
  let quietUntil = 0;
  for (let now = from; now <= from + WEEK; now += TICK) {
    const input = answers.input(now);
    const { fromMs, recent } = input;
    const timeline = { ...recent, fromMs, points: recent.points.filter(({ endMs }) => endMs > fromMs) };
    const advanced = advance(state, observeVerdict(judge(input), timeline), now * 60_000);
    const update = pendingUpdate(advanced);
    state = update === null ? advanced : withShown(advanced, update, 'ts');
    if (update?.is === 'post') ours += 1;
    if (now >= quietUntil && publishedRule(input, 'window')) {
      published += 1;
      quietUntil = now + QUIET;
    }
  }
  return { site: siteName, ours, published };
}
