/**
 * The whole client against bare `fetch` on the same questions, in turns within one run: what authentication, retries,
 * circuit, validation and keeping cost, as a ratio. And what a kept answer costs.
 */
import { fork } from 'node:child_process';
import { Keyv } from 'keyv';
import { sign, signingDate } from '../../src/waf/auth/signing.ts';
import { createWafClient, type WafClientOptions } from '../../src/waf/index.ts';
import { isQuick, median } from './figures.ts';

const NOW = Date.UTC(2026, 2, 11, 12, 34, 30);
const MINUTE = 60_000;
const AIM_RATIO = 1.5;
const AIM_CACHED_MS = 0.2;

interface Service {
  readonly url: string;
  readonly iamUrl: string;
  readonly projectId: string;
  readonly user: { username: string; password: string; domainName: string };
  readonly key: { accessKey: string; secretKey: string };
}

const child = fork(`${import.meta.dirname}/statistics-service.ts`, [String(NOW)]);
const service = await new Promise<Service>((resolve) =>
  child.once('message', (message) => resolve(message as Service)),
);

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const client = (auth: WafClientOptions['auth']) =>
  createWafClient({
    baseUrl: service.url,
    iamUrl: service.iamUrl,
    projectId: service.projectId,
    auth,
    tokens: new Keyv(),
    answers: new Keyv(),
    now: () => NOW,
    log: quiet,
  });
const instant = Temporal.Instant.fromEpochMilliseconds;

/** A different question every time: questions are about whole minutes, and what lies before an answer is not part of it. */
let asked = 0;
function nextWindow(lengthMs: number) {
  asked += 1;
  const toMs = Math.floor(NOW / MINUTE) * MINUTE - (60 + asked) * MINUTE;
  return { fromMs: toMs - lengthMs, toMs };
}

async function bareToken(): Promise<string> {
  const { username, password, domainName } = service.user;
  const user = { name: username, password, domain: { name: domainName } };
  const identity = { methods: ['password'], password: { user } };
  const body = JSON.stringify({ auth: { identity, scope: { project: { id: service.projectId } } } });
  const response = await fetch(`${service.iamUrl}/v3/auth/tokens`, { method: 'POST', body });
  await response.text();
  return response.headers.get('x-subject-token') ?? '';
}

const token = await bareToken();

/** Requests ready to send: signing is the client's work, checking the signature is not, so both sides are checked. */
function prepare(way: string, lengthMs: number, n: number): { url: string; headers: Record<string, string> }[] {
  return Array.from({ length: n }, (): { url: string; headers: Record<string, string> } => {
    const { fromMs, toMs } = nextWindow(lengthMs);
    const path = `/v1/${service.projectId}/waf/event/timeline`;
    const url = `${service.url}${path}?from=${fromMs}&to=${toMs}&timezone=%2B00%3A00`;
    if (way === 'by token') return { url, headers: { 'x-auth-token': token } };
    const headers = { 'x-project-id': service.projectId, 'x-sdk-date': signingDate(NOW) };
    const query = [...new URL(url).searchParams];
    const signed = { method: 'GET', path, query, headers: { ...headers, host: new URL(url).host } };
    return { url, headers: { ...headers, authorization: sign(signed, service.key) } };
  });
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

/** Turn by turn, so that whatever else the machine does falls on both alike; batches of `atOnce` calls. */
async function compare(atOnce: number, batches: number, bare: () => Promise<unknown>, client: () => Promise<unknown>) {
  const times = { bare: [] as number[], client: [] as number[] };
  const batch = (call: () => Promise<unknown>) => () => Promise.all(Array.from({ length: atOnce }, call));
  for (let turn = 0; turn < batches; turn++) {
    times.bare.push((await timed(batch(bare))) / atOnce);
    times.client.push((await timed(batch(client))) / atOnce);
  }
  return { bareMs: median(times.bare), clientMs: median(times.client) };
}

const clients = {
  'by token': client({ kind: 'token', ...service.user }),
  'by key': client({ kind: 'aksk', ...service.key }),
};
const rows: Record<string, unknown>[] = [];
const ratios: number[] = [];
for (const [question, lengthMs, calls] of [
  ['1 h', 60 * MINUTE, isQuick ? 160 : 480],
  ['24 h', 1440 * MINUTE, isQuick ? 32 : 96],
] as const) {
  for (const [name, waf] of Object.entries(clients)) {
    for (const atOnce of [1, 8]) {
      const ready = prepare(name, lengthMs, 2 * calls);
      const bare = async () => {
        const { url, headers } = ready.pop() ?? { url: '', headers: {} };
        await (await fetch(url, { headers })).json();
      };
      const through = () => {
        const { fromMs, toMs } = nextWindow(lengthMs);
        return waf.timeline({ range: { from: instant(fromMs), to: instant(toMs) }, hosts: [], zone: 'UTC' });
      };
      // The first half warms up.
      await compare(atOnce, calls / atOnce, bare, through);
      const { bareMs, clientMs } = await compare(atOnce, calls / atOnce, bare, through);
      ratios.push(clientMs / bareMs);
      rows.push({
        question,
        client: name,
        'at once': atOnce,
        'bare fetch/s': Math.round(1000 / bareMs),
        'client/s': Math.round(1000 / clientMs),
        ratio: Number((clientMs / bareMs).toFixed(2)),
      });
    }
  }
}
console.table(rows);

const kept = clients['by token'];
const range = { from: instant(NOW - 1440 * MINUTE), to: instant(NOW) };
const ask = () => kept.timeline({ range, hosts: [], zone: 'UTC' });
for (let i = 0; i < 200; i++) await ask();
const cached: number[] = [];
for (let i = 0; i < 1000; i++) {
  const start = performance.now();
  await ask();
  cached.push(performance.now() - start);
}
const cachedMs = median(cached);
console.log(`a kept answer of 24 h (1,440 points): ${cachedMs.toFixed(3)} ms (aim: under ${AIM_CACHED_MS})`);
console.log(`worst ratio to bare fetch: ${Math.max(...ratios).toFixed(2)} (aim: at most ${AIM_RATIO})`);
for (const waf of Object.values(clients)) await waf.close();
child.disconnect();
