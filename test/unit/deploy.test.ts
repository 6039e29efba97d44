/**
 * The examples in `deploy/` and the Dockerfile fit the bot: settings that it knows, files, ports and commands that exist, and
 * documents that the tools which read them accept.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { validate as dockerfileFaults } from 'dockerfile-utils';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SHELL_COMMANDS } from '../../src/cli.ts';
import { readValues } from '../../src/config/values.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const DOCKERFILE = read('Dockerfile');
const REDIS_SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
/** Longer than `WAFBOT_STOP_SECONDS` and what the bot may take beyond it (`docs/operations.md`). */
const MIN_STOP_SECONDS = 8 + 12;

/** In CI a tool that is missing is a failure, elsewhere a line that says so. */
function isInstalled(tool: string, args: readonly string[], debian: string): boolean {
  const found = spawnSync(tool, args).status === 0;
  if (!found)
    process.stdout.write(`${tool} is not installed: what it checks in deploy/ is left out (Debian: ${debian})\n`);
  return found || process.env.CI === 'true';
}

const faultsOf = (environment: Readonly<Record<string, string>>): readonly string[] => readValues(environment).faults;

it('unknown settings would be found', () => {
  expect(faultsOf({ WAFBOT_STROE: 'memory:' })).toHaveLength(1);
});

describe('the Dockerfile', () => {
  it('is valid', () => {
    expect(dockerfileFaults(DOCKERFILE).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  it('copies what exists and isn’t ignored', () => {
    const ignored = read('.dockerignore');
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    for (const file of copied) {
      expect([file, existsSync(file)]).toEqual([file, true]);
      expect(ignored).toContain(`\n!${file}\n`);
    }
  });

  it('has a numeric user, no chown, a health check, and the start as its command', () => {
    expect(DOCKERFILE).toMatch(/^USER \d+:\d+$/m);
    expect(DOCKERFILE).not.toMatch(/\bchown\b/);
    const commands = [...DOCKERFILE.matchAll(/dist\/wafbot\.js"?,? "?([a-z-]+)/g)].map(([, name = '']) => name);
    expect(commands).toEqual(['start', 'health']);
    expect(DOCKERFILE).toMatch(/^ENTRYPOINT \["node", "dist\/wafbot\.js"\]\nCMD \["start"\]$/m);
  });
});

const composeService = z.object({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
});
const compose = z.object({
  services: z.record(z.string(), composeService),
  volumes: z.record(z.string(), z.null()),
});

describe.each(['deploy/compose.yaml', 'deploy/compose.redis.yaml'])('%s', (file) => {
  const { services, volumes } = compose.parse(parse(read(file), { strict: true, uniqueKeys: true }));
  const bot = services.wafbot;

  it('has settings, ports and folders that the image has', () => {
    expect(faultsOf(bot?.environment ?? {})).toEqual([]);
    expect(path.join('deploy', bot?.build ?? '')).toBe('.');
    expect(bot?.stop_grace_period).toMatch(/^\d+s$/);
    expect(Number.parseInt(bot?.stop_grace_period ?? '', 10)).toBeGreaterThan(MIN_STOP_SECONDS);
    for (const port of bot?.ports ?? []) expect(DOCKERFILE).toContain(`EXPOSE ${port.split(':').at(-1)}\n`);
    for (const volume of bot?.volumes ?? []) {
      const [name = '', folder = ''] = volume.split(':');
      expect(volumes).toHaveProperty(name);
      expect(DOCKERFILE).toContain(`VOLUME ${folder}\n`);
    }
  });

  it('reaches a store that it has itself', () => {
    const store = bot?.environment?.WAFBOT_STORE ?? '';
    if (store.startsWith('sqlite:')) expect(bot?.volumes).toContain(`data:/app/${path.dirname(store.slice(7))}`);
    else {
      const { hostname, port } = new URL(store);
      expect([port, services[hostname]?.command?.slice(1)]).toEqual(['6379', REDIS_SETTINGS]);
    }
  });
});

describe('deploy/kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const kustomization = z
    .object({
      resources: z.array(z.string()),
      configMapGenerator: z.tuple([z.object({ name: z.string(), literals: z.array(z.string()) })]),
    })
    .parse(parse(read(path.join(folder, 'kustomization.yaml'))));
  const documentsOf = (text: string) =>
    parseAllDocuments(text).map((document) => z.looseObject({ kind: z.string() }).parse(document.toJS()));
  const documents = kustomization.resources.flatMap((file) => documentsOf(read(path.join(folder, file))));
  const MODELS = { ConfigMap, Deployment, NetworkPolicy, PodDisruptionBudget, Service, StatefulSet };

  function validate(document: { readonly kind: string }): string {
    const entry = Object.entries(MODELS).find(([kind]) => kind === document.kind);
    if (entry === undefined) throw new Error(`no model for ${document.kind}`);
    // The class is the one of the document's kind, so it takes the document; the call says if it doesn't.
    Reflect.construct(entry[1], [document]).validate();
    return document.kind;
  }

  it('uses every file', () => {
    const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml');
    expect(files.sort()).toEqual([...kustomization.resources].sort());
  });

  it('has documents of the right types', () => {
    expect(documents.map(validate).sort()).toEqual(
      ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'StatefulSet'].sort(),
    );
    const wrong = { kind: 'PodDisruptionBudget', spec: { maxUnavailable: [] } };
    expect(() => validate(wrong)).toThrow('maxUnavailable');
  });

  const probe = z.object({ httpGet: z.object({ path: z.enum(['/healthz', '/readyz']), port: z.literal('health') }) });
  const deployment = z.object({
    spec: z.object({
      template: z.object({
        spec: z.object({
          terminationGracePeriodSeconds: z.number().gt(MIN_STOP_SECONDS),
          securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number(), fsGroup: z.number() }),
          containers: z.tuple([
            z.object({
              env: z.array(z.object({ name: z.string(), value: z.string() })),
              ports: z.tuple([z.object({ name: z.literal('health'), containerPort: z.literal(3000) })]),
              startupProbe: probe,
              livenessProbe: probe,
              readinessProbe: probe,
              resources: z.object({ limits: z.object({ cpu: z.string(), memory: z.string() }) }),
              securityContext: z.object({ readOnlyRootFilesystem: z.literal(true) }),
              volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
            }),
          ]),
        }),
      }),
    }),
  });

  it('gives the bot its probes, limits, settings and secrets as files', () => {
    const bot = deployment.parse(documents.find(({ kind }) => kind === 'Deployment'));
    const [{ env, volumeMounts, livenessProbe, readinessProbe }] = bot.spec.template.spec.containers;
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/healthz', '/readyz']);
    const mounted = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath;
    for (const { name, value } of env) expect(value).toBe(`${mounted}/${name.replace(/_FILE$/, '')}`);
    // The values of the files, as the bot gets them.
    const secrets = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', WAF_ACCESS_KEY: 'a', WAF_SECRET_KEY: 'b' };
    expect(env.map(({ name }) => name)).toEqual(Object.keys(secrets).map((name) => `${name}_FILE`));
    const literals = kustomization.configMapGenerator[0].literals.map((pair) => pair.split('='));
    expect(faultsOf({ ...secrets, ...Object.fromEntries(literals) })).toEqual([]);
  });

  it('gives Redis the settings that the bot requires, under the name that the bot connects to', () => {
    const redis = documents.find(({ kind }) => kind === 'StatefulSet');
    expect(JSON.stringify(redis)).toContain(JSON.stringify(['redis-server', ...REDIS_SETTINGS]));
    expect(kustomization.configMapGenerator[0].literals).toContain('WAFBOT_STORE=redis://wafbot-redis:6379');
    expect(documents.find(({ kind }) => kind === 'Service')).toMatchObject({ metadata: { name: 'wafbot-redis' } });
  });

  it.runIf(isInstalled('kubectl', ['version', '--client'], 'kubernetes-client'))('kubectl builds it', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(documentsOf(stdout).map(validate)).toHaveLength(documents.length + 1);
    expect(stdout).toMatch(/image: registry\.example\.com\/wafbot:\d/);
  });
});

describe('deploy/wafbot.service', () => {
  const unit = read('deploy/wafbot.service');
  const valuesOf = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('has settings and a command that exist, and restarts unless that can’t help', () => {
    const pairs = valuesOf('Environment').map((pair) => [
      pair.slice(0, pair.indexOf('=')),
      pair.slice(pair.indexOf('=') + 1),
    ]);
    expect(faultsOf(Object.fromEntries(pairs))).toEqual([]);
    expect(Object.fromEntries(pairs)).toHaveProperty('WAFBOT_STORE');
    const [start = ''] = valuesOf('ExecStart');
    const [, command = ''] = start.split(' ');
    expect(Object.keys(SHELL_COMMANDS)).toContain(command);
    expect([valuesOf('Restart'), valuesOf('RestartPreventExitStatus')]).toEqual([['on-failure'], ['78']]);
    expect(Number.parseInt(valuesOf('TimeoutStopSec')[0] ?? '', 10)).toBeGreaterThan(MIN_STOP_SECONDS);
  });

  it.runIf(isInstalled('systemd-analyze', ['--version'], 'systemd'))('systemd accepts it, and finds it tight', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-unit-'));
    try {
      // The program has to exist where the unit is verified.
      const file = path.join(folder, 'wafbot.service');
      writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
      const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
      const verified = analyze('verify');
      expect([verified.status, verified.stderr]).toEqual([0, '']);
      expect(analyze('security', '--offline=yes', '--threshold=20').status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
