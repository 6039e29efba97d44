/** `wafbot doctor`: the doctor's checks at the shell, without Slack. Exits with 1 if one of them failed. */
import { probeChartServer } from '../charts/index.ts';
import { systemClock } from '../clock.ts';
import { findingLine, storageFinding } from '../commands/verbs/doctor.ts';
import { processEnvironment, readServiceConfig } from '../config/config.ts';
import type { ProjectConfigs } from '../config/projects-file.ts';
import { BotError } from '../errors.ts';
import { openProjects } from '../projects/open-projects.ts';
import type { Finding } from '../replies/finding.ts';
import { counted, plainText } from '../replies/phrases.ts';
import type { Line } from '../replies/reply.ts';
import { openStore, type Store } from '../store/index.ts';
import { namedProject, SILENT } from './project-option.ts';

export async function printDoctor(project: string | undefined): Promise<void> {
  const { projects, store, charts } = readServiceConfig(processEnvironment(), { also: ['WAFBOT_CHARTS'] });
  const only = project === undefined ? null : namedProject(projects, project).name;
  const storage = await openStorage(store.reveal());
  try {
    const services = await examineProjects(projects, storage.store, only);
    const findings: readonly Finding[] = [...services, storage.finding, ...(await probeChartServer(charts))];
    for (const finding of findings) console.log(shellText(findingLine(finding)));
    const faults = findings.filter(({ ok }) => !ok).length;
    const checks = counted(findings.length, 'check');
    console.log(faults === 0 ? `All is well: ${checks} passed.` : `${faults} of ${checks} failed.`);
    if (faults > 0) process.exitCode = 1;
  } finally {
    await storage.store.close();
  }
}

/** Names of verbs stay recognizable without markup. */
const shellText = (line: Line): string =>
  plainText(line.map((piece) => (typeof piece === 'object' && 'code' in piece ? `\`${piece.code}\`` : piece)));

/** A store that can't be opened is one finding; the service is still checked. */
async function openStorage(url: string): Promise<{ readonly store: Store; readonly finding: Finding }> {
  const deps = { log: SILENT, now: systemClock.now };
  try {
    const store = await openStore(url, deps);
    return { store, finding: storageFinding(store.maintenance) };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    const finding = { what: 'Storage', ok: false, says: error.message, fix: error.hint };
    return { store: await openStore('memory:', deps), finding };
  }
}

async function examineProjects(configs: ProjectConfigs, store: Store, only: string | null): Promise<Finding[]> {
  const opened = await openProjects(configs, {
    store,
    clock: systemClock,
    zone: 'UTC',
    log: SILENT,
  });
  try {
    const examined = opened.projects.filter(({ name }) => only === null || name === only);
    return (await Promise.all(examined.map(opened.examine))).flat();
  } finally {
    await opened.close();
  }
}
