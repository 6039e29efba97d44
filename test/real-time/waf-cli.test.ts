/** The listener for people, as a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE_KINDS } from '../../playground/service/kinds.ts';
import { type StatisticsService, startStatisticsService } from '../../playground/service/server.ts';
import { distribution, timeline } from '../../playground/service/statistics.ts';
import { CATEGORIES } from '../../src/statistics/categories.ts';
import { type BuiltImage, buildImage } from '../support/built-image.ts';
import { NOBODY } from '../support/waf-stage.ts';

const WINDOW = ['--from', '2026-03-01T00:00:00Z', '--to', '2026-03-01T06:00:00Z'];
const fromMs = Date.UTC(2026, 2, 1);
const toMs = fromMs + 6 * 3_600_000;
const NOW = Date.UTC(2026, 2, 11);

// It starts in less than half of the time that the checkout takes; `judge-cli.test.ts` runs that.
let image: BuiltImage;
beforeAll(async () => {
  image = await buildImage();
});
afterAll(() => image?.remove());

let service: StatisticsService;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wafbot-'));
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function waf(args: readonly string[], changes: Record<string, string | undefined> = {}): Promise<Ended> {
  const { username, password, domainName } = service.user;
  const environment = {
    WAF_BASE_URL: service.url,
    WAF_IAM_URL: service.iamUrl,
    WAF_PROJECT_ID: service.projectId,
    WAF_USERNAME: username,
    WAF_PASSWORD: password,
    WAF_DOMAIN_NAME: domainName,
    WAFBOT_STORE: 'sqlite:store.db',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    ...changes,
  };
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [image.program, 'waf', ...args],
      { cwd: folder, env, timeout: 100_000, killSignal: 'SIGKILL' },
      (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err });
      },
    );
  });
}

const keys = () => ({
  WAF_USERNAME: undefined,
  WAF_PASSWORD: undefined,
  WAF_DOMAIN_NAME: undefined,
  WAF_IAM_URL: undefined,
  WAF_ACCESS_KEY: service.key.accessKey,
  WAF_SECRET_KEY: service.key.secretKey,
});

/** `eu`, whose project ID is wrong, and `us`. */
async function twoProjects(): Promise<Record<string, string | undefined>> {
  const { url, projectId, key } = service;
  const project = (name: string, id: string) =>
    `  ${name}:\n    base_url: ${url}\n    project_id: ${id}\n    access_key: ${key.accessKey}\n    secret_key: ${key.secretKey}\n`;
  await writeFile(join(folder, 'projects.yaml'), `projects:\n${project('eu', 'other')}${project('us', projectId)}`);
  const names = ['BASE_URL', 'IAM_URL', 'PROJECT_ID', 'USERNAME', 'PASSWORD', 'DOMAIN_NAME'];
  return {
    ...Object.fromEntries(names.map((name) => [`WAF_${name}`, undefined])),
    WAFBOT_PROJECTS_FILE: 'projects.yaml',
  };
}

// Each run is a process; on a busy machine that takes its time.
const PATIENT = { timeout: 120_000 };

describe('asking from a shell', PATIENT, () => {
  it('prints the timeline with the fields of the specification, by token and by key', async () => {
    // A key is checked against the clock of the machine, a token is not.
    service = await startStatisticsService();
    const hosts = service.hosts.slice(0, 2).map((host) => host.id);
    const truth = timeline({ seed: 1, hosts: service.hosts }, { fromMs, toMs, hosts }, 0, Date.now());
    for (const changes of [{}, keys()]) {
      const { code, out, err } = await waf(['timeline', ...WINDOW, '--hosts', hosts.join(',')], changes);
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toEqual(truth);
    }
    expect(service.calls('timeline').map(({ search }) => search.getAll('hosts'))).toEqual([
      hosts.toSorted(),
      hosts.toSorted(),
    ]);
  });

  it('finds out by itself which dialect the service has, once', async () => {
    service = await startStatisticsService({ habits: { speaks: ['overviews'], without: ['request timeline'] } });
    const truth = timeline({ seed: 1, hosts: service.hosts }, { fromMs, toMs, hosts: [] }, 0, Date.now());
    for (let run = 0; run < 2; run++) {
      const { code, out, err } = await waf(['timeline', ...WINDOW]);
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toEqual(truth);
    }
    // The probe and the comparison with the totals of an hour.
    expect(service.calls('statistics')).toHaveLength(2);
  });

  it('asks about the project that is named', async () => {
    service = await startStatisticsService();
    const changes = await twoProjects();
    const truth = distribution({ seed: 1, hosts: service.hosts }, { fromMs, toMs, hosts: [] }, NOW);
    const asked = await waf(['attacks', ...WINDOW, '--project', 'us'], changes);
    expect([asked.code, asked.err]).toEqual([0, '']);
    expect(JSON.parse(asked.out)).toEqual(truth);
    const refused = await waf(['attacks', ...WINDOW, '--project', 'asia'], changes);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('--project must be a project from WAFBOT_PROJECTS_FILE: eu, us.');
  });

  it('prints the categories, asks the service each time, and for a token only once', async () => {
    service = await startStatisticsService();
    const truth = distribution({ seed: 1, hosts: service.hosts }, { fromMs, toMs, hosts: [] }, NOW);
    for (let run = 0; run < 2; run++) {
      const { code, out } = await waf(['attacks', ...WINDOW]);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual(truth);
      expect(Object.keys(JSON.parse(out))).toEqual(CATEGORIES.map(({ field }) => field));
    }
    expect([service.calls('distribution').length, service.calls('token').length]).toEqual([2, 1]);
  });
});

describe('the doctor', PATIENT, () => {
  const DETAILS = ['Blocked share', 'Server responses', 'Single events'];
  const QUERIES = ['Timeline', 'History', 'Categories', 'Sources', ...DETAILS, 'Host names'];
  const namesOf = (out: string, sign: string) =>
    out.split('\n').flatMap((line) => (line.startsWith(sign) ? [line.slice(2).split(': ')[0]] : []));

  /** Numbers differ from run to run; the words are those of the manual. */
  const wordsOf = (out: string) => out.trim().replaceAll(/\d[\d,.:]*/g, '#');
  const samples = async () => {
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    return page
      .split(/^```$/m)
      .filter((part) => part.startsWith('\n✓'))
      .map(wordsOf);
  };

  it('prints what the manual shows for the events interface', async () => {
    service = await startStatisticsService();
    expect(wordsOf((await waf(['doctor'])).out)).toBe((await samples())[0]);
  });

  it('prints a line per query and ends with 0 if all is well', async () => {
    service = await startStatisticsService(SERVICE_KINDS['fixed windows']);
    const { code, out, err } = await waf(['doctor']);
    expect([code, err]).toEqual([0, '']);
    // In the hour after midnight UTC, the last hour lies in two of the service's windows.
    const acrossMidnight = ' Steps that cross the edges of a window are left out.';
    expect(wordsOf(out).replace(acrossMidnight, '')).toBe((await samples())[1]);
    const names = ['Identity service', 'Token', 'Statistics service', ...QUERIES, 'Clock', 'Storage'];
    expect(namesOf(out, '✓ ')).toEqual(names);
    expect(out).toMatch(
      /^✓ Timeline: [\d,]+ requests and [\d,]+ attacks from \d\d:\d\d to \d\d:\d\d UTC, in steps of \d+ min\./m,
    );
    expect(out).toMatch(/\nAll is well: 13 checks passed\.\n$/);
  });

  it('ends with 1 if one query is forbidden, and shows the others, its cost and its fix', async () => {
    service = await startStatisticsService();
    service.misbehave({ kind: 'answer', answer: { status: 403, body: {} } }, { on: 'distribution' });
    const { code, out, err } = await waf(['doctor']);
    expect([code, err]).toEqual([1, '']);
    expect(wordsOf(out)).toBe((await samples())[2]);
    expect(namesOf(out, '✗ ')).toEqual(['Categories']);
    expect(namesOf(out, '✓ ')).toEqual(expect.arrayContaining(['Timeline', 'Sources']));
    expect(out).toMatch(
      /^✗ Categories: failed\. .* \(403\)\. `attacks` and `compare` show totals only.* Fix: .*waf:event:get/m,
    );
    expect(out).toMatch(/\n1 of 13 checks failed\.\n$/);
  });

  it('examines every project, or the one that is named', async () => {
    service = await startStatisticsService();
    const changes = await twoProjects();
    const all = await waf(['doctor'], changes);
    expect(all.code).toBe(1);
    expect(all.out).toMatch(/^✗ Project eu · /m);
    expect(all.out).toMatch(/^✓ Project us · Timeline: /m);
    const one = await waf(['doctor', '--project', 'us'], changes);
    expect([one.code, one.out.includes('Project eu')]).toEqual([0, false]);
    expect((await waf(['doctor', '--project', 'asia'], changes)).err).toContain('--project must be a project');
  });

  it('goes on without a store and without a chart server, and says so', async () => {
    service = await startStatisticsService();
    const changes = { WAFBOT_STORE: 'sqlite:/dev/null/x.db', WAFBOT_CHARTS: `quickchart:${NOBODY}` };
    const { code, out } = await waf(['doctor'], changes);
    expect(code).toBe(1);
    expect(namesOf(out, '✗ ')).toEqual(['Storage', 'Chart server']);
    expect(namesOf(out, '✓ ')).toEqual(expect.arrayContaining(QUERIES));
  });
});

describe('failing', PATIENT, () => {
  const line = /^[A-Z][^\n]*\.\n$/;

  it('a wrong password: one sentence, exit code 1, no secret, and one attempt however often it is run', async () => {
    service = await startStatisticsService();
    for (let run = 0; run < 3; run++) {
      const { code, out, err } = await waf(['attacks', ...WINDOW], { WAF_PASSWORD: 'not the password' });
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(line);
      expect(err).toContain("refused the bot's user name or password");
      expect(err).toMatch(/check WAF_USERNAME.*the next attempt is in \d+ min/);
      expect(err).not.toContain('not the password');
    }
    expect(service.calls('token')).toHaveLength(1);
    expect(service.isUserLocked(service.user)).toBe(false);
  });

  it.each<[string, string[], Record<string, string | undefined>, RegExp]>([
    ['no verb', WINDOW, {}, /timeline, attacks or doctor/],
    ['a doctor with a window', ['doctor', ...WINDOW], {}, /doctor takes no option except --project/],
    ['a start that is none', ['timeline', '--from', 'yesterday', ...WINDOW.slice(2)], {}, /--from/],
    ['an unknown option', ['timeline', '--since', 'x'], {}, /Unknown arguments/],
    [
      'missing settings',
      ['timeline', ...WINDOW],
      { WAF_BASE_URL: undefined, WAF_PASSWORD: undefined },
      /2 problems.*WAF_BASE_URL.*WAF_PASSWORD/,
    ],
    ['a store that cannot be', ['timeline', ...WINDOW], { WAFBOT_STORE: 'sqlite:/dev/null/x.db' }, /database/],
  ])('%s', async (_, args, changes, words) => {
    service = await startStatisticsService();
    const { code, out, err } = await waf(args, changes);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(words);
    expect(err).toMatch(/^[^\n]*\n$/);
    for (const secret of [service.user.password, service.url, service.iamUrl]) expect(err).not.toContain(secret);
    expect(service.requests).toHaveLength(0);
  });

  it('a service that refuses or is not there', async () => {
    service = await startStatisticsService();
    service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: 'timeline' });
    const refused = await waf(['timeline', ...WINDOW]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("isn't allowed to read this project's statistics"),
    ]);
    expect(refused.err).toMatch(line);
    const absent = await waf(['timeline', ...WINDOW], { ...keys(), WAF_BASE_URL: 'http://127.0.0.1:9' });
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('cannot be reached')]);
    expect(absent.err).not.toContain('127.0.0.1');
  });
});
