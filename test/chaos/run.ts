/** `npm run chaos [-- <kills> <seed>]`: the long form, on both schedulers. Fails unless nothing was lost or duplicated. */
import { redisAvailable } from '../support/redis.ts';
import { type ChaosReport, runChaos } from './chaos.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? Date.now() % 100_000);
const common = { kills, digests: 300, everyMs: 15_000, seed };
const reports: Record<string, ChaosReport> = {};

console.log(
  `seed ${seed}: ${kills} kills a scheduler, ${common.digests} digests due every ${common.everyMs / 1_000} s`,
);
reports.embedded = await runChaos({ ...common, scheduler: 'embedded' });
console.table(reports);
if (redisAvailable) reports.redis = await runChaos({ ...common, scheduler: 'redis', redisKills: 0.1 });
else console.log('no redis-server on this machine: the Redis scheduler was not tested');
console.table(reports);
process.exitCode = Object.values(reports).every(({ lost, duplicated }) => lost === 0 && duplicated === 0) ? 0 : 1;
