/** `node test/alert-delays/run.ts [starts]`: how long a watch takes to alert to each attack of the drawer, as a table. */
import { alertDelay, CHOICES } from '../support/drawer-attacks.ts';

const starts = Number(process.argv[2] ?? 20);
const HOUR_MS = 3_600_000;
const HOSTS = ['shop', 'api', 'blog', 'admin'];

/** At every hour of the day and on every day of the week. */
const tries = Array.from({ length: starts }, (_, at) => ({
  seed: 1 + (at % 5),
  host: HOSTS[at % HOSTS.length] ?? '',
  startMs: Date.UTC(2026, 10, 16, 6, 17) + at * 31 * HOUR_MS + at * 7 * 60_000,
}));

const minutes = (value: number | undefined): string =>
  value === undefined || value === Number.POSITIVE_INFINITY ? '–' : value.toFixed(0);

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

print('| attack | alerts | first quarter | half | three quarters | all |');
print('|---|---|---|---|---|---|');
for (const choice of CHOICES) {
  const delays: number[] = [];
  for (const each of tries) delays.push((await alertDelay({ ...choice, ...each })) ?? Number.POSITIVE_INFINITY);
  delays.sort((a, b) => a - b);
  const at = (share: number): string => minutes(delays[Math.ceil(share * delays.length) - 1]);
  const alerted = delays.filter(Number.isFinite).length;
  print(
    `| ${choice.kind}, ${choice.strength} | ${alerted} of ${delays.length} | ${at(0.25)} | ${at(0.5)} | ${at(0.75)} | ${at(1)} |`,
  );
}
