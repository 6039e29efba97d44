/**
 * `wafbot waf timeline|attacks|doctor …`: queries the statistics service and prints the result as one JSON object, or
 * checks it. Needs no Slack configuration, so that an operator can check credentials.
 */
import { parseArgs } from 'node:util';
import { Keyv } from 'keyv';
import { processEnvironment, readServiceConfig } from '../config/config.ts';
import { serviceOptions } from '../config/service.ts';
import { UsageError } from '../errors.ts';
import { storeOf } from '../projects/open-projects.ts';
import type { StatisticsQuery } from '../statistics/statistics.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { openStore } from '../store/index.ts';
import { resolveZone } from '../time/index.ts';
import { createWafClient } from '../waf/index.ts';
import { namedProject, SILENT } from './project-option.ts';

const EXAMPLE = 'wafbot waf timeline --from 2026-03-01T00:00:00Z --to 2026-03-01T06:00:00Z --hosts a,b';

function readInstant(name: 'from' | 'to', text: string | undefined): Temporal.Instant {
  try {
    return Temporal.Instant.from(text ?? '');
  } catch {
    throw new UsageError(`--${name} must be an instant such as 2026-03-01T00:00:00Z.`);
  }
}

type ShellQuestion =
  | { readonly verb: 'timeline' | 'attacks'; readonly query: StatisticsQuery; readonly project: string | undefined }
  | { readonly verb: 'doctor'; readonly project: string | undefined };

function readArguments(args: readonly string[]): ShellQuestion {
  const text = { type: 'string' } as const;
  let parsed: ReturnType<typeof parse>;
  function parse() {
    return parseArgs({
      args: [...args],
      options: { from: text, to: text, hosts: text, zone: text, project: text },
      allowPositionals: true,
    });
  }
  try {
    parsed = parse();
  } catch {
    throw new UsageError(`Unknown arguments. Try: ${EXAMPLE}`);
  }
  const { values, positionals } = parsed;
  const [verb, ...more] = positionals;
  const { project, ...others } = values;
  if (verb === 'doctor' && more.length === 0) {
    if (Object.keys(others).length > 0) throw new UsageError('doctor takes no option except --project.');
    return { verb, project };
  }
  if ((verb !== 'timeline' && verb !== 'attacks') || more.length > 0) {
    throw new UsageError(`Ask for timeline, attacks or doctor, for example: ${EXAMPLE}`);
  }
  const zone = resolveZone(values.zone ?? 'UTC');
  if (zone === null) throw new UsageError('--zone must be a time zone such as Europe/Berlin.');
  const range = { from: readInstant('from', values.from), to: readInstant('to', values.to) };
  return { verb, query: { range, zone, hosts: values.hosts?.split(',') ?? [] }, project };
}

/** The fields of the service's own response. Unknown numbers are omitted. */
function timelineBody({ points }: Timeline) {
  const series = (of: 'requests' | 'attacks') =>
    points.flatMap((point) => (point[of] === null ? [] : [{ time: point.endMs, num: point[of] }]));
  return { requests: series('requests'), attacks: series('attacks') };
}

function categoriesBody({ counts }: Distribution) {
  return Object.fromEntries(counts.map(({ category, count }) => [category, count]));
}

async function query({ verb, query: wafQuery, project }: Exclude<ShellQuestion, { verb: 'doctor' }>): Promise<object> {
  const { projects, store: url } = readServiceConfig(processEnvironment());
  const config = project === undefined ? projects[0] : namedProject(projects, project);
  const store = await openStore(url.reveal(), { log: SILENT, now: () => Temporal.Now.instant() });
  const part = await storeOf(config, projects, store);
  const client = createWafClient({
    ...serviceOptions(config),
    tokens: part.space('cache-tokens'),
    // Always a real query: it is used to check credentials.
    answers: new Keyv(),
    now: () => Date.now(),
    log: SILENT,
  });
  try {
    return verb === 'timeline'
      ? timelineBody(await client.timeline(wafQuery))
      : categoriesBody(await client.distribution(wafQuery));
  } finally {
    await client.close();
    await store.close();
  }
}

export async function printStatistics(args: readonly string[]): Promise<void> {
  const question = readArguments(args);
  if (question.verb !== 'doctor') {
    console.log(JSON.stringify(await query(question)));
    return;
  }
  // Loaded on demand, because it takes as long to load as the bot.
  const { printDoctor } = await import('./doctor.ts');
  await printDoctor(question.project);
}
