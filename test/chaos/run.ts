/**
 * `npm run chaos [-- <kills> <seed> [<checkout of the previous version>]]`: the long form of the fault test, on both schedulers.
 * Fails unless every due time was told exactly once, on time or by a message that says that it is late, and every state of
 * an episode is at every pager.
 */
import { redisAvailable } from '../support/redis.ts';
import { type ChaosOptions, type ChaosReport, isFlawless, runChaos } from './chaos.ts';
import { type PageChaosReport, runPageChaos } from './pages.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 100_000);
const from = process.argv[4];
const fewer = Math.ceil(kills / 4);
const often = { due: { everyMs: 15_000 }, digests: 300, kills } as const;
const once = { due: 'once', digests: 300, kills: fewer } as const;
const lost = {
  due: { everyMs: 15_000 },
  digests: 60,
  kills: fewer,
  slack: { lostAnswers: 0.4, chatter: 30 },
} as const;

const upgraded = { ...once, kills: 2, upgrade: { from } } as const;

const scenarios: Readonly<Record<string, Omit<ChaosOptions, 'seed'>>> = {
  'SQLite, often due': { ...often, scheduler: 'embedded' },
  'Redis, often due': { ...often, scheduler: 'redis', redisKills: 0.1 },
  'SQLite, due once': { ...once, scheduler: 'embedded' },
  'Redis, due once': { ...once, scheduler: 'redis', redisKills: 0.6 },
  'SQLite, answers lost in busy channels': { ...lost, scheduler: 'embedded' },
  'Redis, answers lost in busy channels': { ...lost, scheduler: 'redis', redisKills: 0.2 },
  'SQLite, upgraded': { ...upgraded, scheduler: 'embedded' },
  'Redis, upgraded': { ...upgraded, scheduler: 'redis' },
};
const reports: Record<string, ChaosReport> = {};

console.log(`seed ${seed}`);
for (const [name, options] of Object.entries(scenarios)) {
  if (options.scheduler === 'redis' && !redisAvailable) {
    console.log(`no redis-server on this machine: not tested: ${name}`);
    continue;
  }
  reports[name] = await runChaos({ ...options, seed });
  console.table(reports);
}
const pages: Record<string, PageChaosReport> = {};
for (const store of redisAvailable ? (['sqlite', 'redis'] as const) : (['sqlite'] as const)) {
  pages[`pages, ${store}`] = await runPageChaos({ store, kills: fewer, seed });
  console.table(pages);
}
const isPagedWell = Object.values(pages).every(({ flawed, refused }) => flawed.length + refused.length === 0);
process.exitCode = Object.values(reports).every(isFlawless) && isPagedWell ? 0 : 1;
