/**
 * `npm run conformance`: the official conformance suite against the server for agents, through a proxy that adds the token, which
 * the suite can't send. Downloads the suite, which has too many dependencies to be one of ours.
 */
import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { DEFAULT_PROJECT_ID, startStatisticsService } from '../../playground/service/server.ts';
import { SILENT } from '../../src/cli/project-option.ts';
import { systemClock } from '../../src/clock.ts';
import { startAgents } from '../../src/mcp/index.ts';
import { openProjects } from '../../src/projects/open-projects.ts';
import { Secret } from '../../src/secret.ts';
import { openStore } from '../../src/store/index.ts';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const TOKEN = 'a-token-for-conformance-only';

/** The scenarios that apply to a server with tools and resources only. The others need tools of the suite's own, prompts or sessions. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'resources-list', 'caching', 'http-header-validation'],
    ...['dns-rebinding-protection', 'sep-2164-resource-not-found', 'server-sse-multiple-streams'],
    'input-required-result-unsupported-methods',
  ],
};

/** Checks of these scenarios that look for a tool of the suite's own, or for prompts. */
const NOT_APPLICABLE: ReadonlySet<string> = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints',
]);

async function startServer() {
  const service = await startStatisticsService();
  const { username, password, domainName } = service.user;
  const store = await openStore('memory:', { log: SILENT, now: systemClock.now });
  const opened = await openProjects(
    [
      {
        ...{ name: null, allowedChannels: null, enterpriseProject: undefined, dialect: 'events' },
        ...{ baseUrl: service.url, iamUrl: service.iamUrl, projectId: DEFAULT_PROJECT_ID },
        auth: { kind: 'token', username, password: new Secret(password), domainName },
      },
    ],
    { store, clock: systemClock, zone: 'UTC', log: SILENT },
  );
  return startAgents({
    ...{ host: '127.0.0.1', port: 0, hostNames: ['localhost', '127.0.0.1'], token: TOKEN, slackbot: null },
    ...{ projects: opened.projects, zone: 'UTC', command: '/waf', draw: null, clock: systemClock, log: SILENT },
    observeQuestion: () => () => {},
  });
}

/** Passes everything on as it is, with the token. */
async function startProxy(port: number): Promise<number> {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${TOKEN}` };
    const { method, url } = incoming;
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface Outcome {
  /** `14/14` */
  readonly passed: string;
  readonly failed: readonly string[];
}

async function runScenario(port: number, version: string, scenario: string): Promise<Outcome> {
  const url = `http://localhost:${port}/mcp`;
  const args = ['--yes', SUITE, 'server', '--url', url, '--scenario', scenario, '--spec-version', version];
  // It exits with 1 if a check failed.
  const output = await new Promise<string>((resolve) => void execFile('npx', args, (_error, out) => resolve(out)));
  const text = stripVTControlCharacters(output);
  const failed = [...text.matchAll(/\[([\w-]+) *\] FAILURE /g)].map(([, check = '']) => check);
  return { passed: /Passed: (\d+\/\d+)/.exec(text)?.[1] ?? 'nothing', failed };
}

const { port } = await startServer();
const proxy = await startProxy(port);
let isConforming = true;
for (const [version, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    const { passed, failed } = await runScenario(proxy, version, scenario);
    const unexpected = failed.filter((check) => !NOT_APPLICABLE.has(check));
    if (unexpected.length > 0 || !/^[1-9]/.test(passed)) isConforming = false;
    const others = failed.length > unexpected.length ? `, ${failed.length - unexpected.length} not applicable` : '';
    console.log(`${version} ${scenario}: ${passed} passed${others}`, ...unexpected);
  }
}
console.log(isConforming ? `Conforms, by ${SUITE}.` : `Does not conform, by ${SUITE}.`);
process.exit(isConforming ? 0 : 1);
