/**
 * A statistics service that answers with almost the right thing, in a thread of its own, so that its work is not counted
 * as the bot's. What it answers follows from the seed and what it is asked, so that an answer can be had again.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createSeededRandom, type SeededRandom } from '../support/seeded-random.ts';
import { mutateJson, mutateText } from './mutate-json.ts';

export interface LyingService {
  readonly url: string;
  /** How many answers it has given. */
  answers(): number;
  close(): Promise<void>;
}

export async function startLyingService(seed: number): Promise<LyingService> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { seed } });
  let answers = 0;
  const [port] = await once(worker, 'message');
  worker.on('message', () => {
    answers += 1;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    answers: () => answers,
    close: async () => void (await worker.terminate()),
  };
}

/** Up to what the real one gives for a day, and twice that. */
const POINTS = [48, 48, 48, 300, 1_440, 2_880];
const CATEGORIES = ['xss', 'sqli', 'cmdi', 'lfi', 'rfi', 'cc', 'webshell', 'robot', 'custom_custom', 'geoip'];
/** Statuses that are passed on as they are, whatever stands in the body. */
const STATUSES = [400, 404, 418, 429, 500, 502, 503, 204, 301];
const RETRY_AFTER = ['0', '-1', '1', '99999999999', 'soon', '', 'Wed, 21 Oct 2099 07:28:00 GMT'];

/** What the service would say, were it honest. */
function honestBody(url: URL, random: SeededRandom): unknown {
  if (!url.pathname.endsWith('timeline')) {
    return Object.fromEntries(CATEGORIES.map((category) => [category, random.below(10_000)]));
  }
  const [fromMs, toMs] = [Number(url.searchParams.get('from')), Number(url.searchParams.get('to'))];
  const intervalMs = Math.max(60_000, Math.floor((toMs - fromMs) / random.pick(POINTS) / 60_000) * 60_000);
  const points = (most: number) =>
    Array.from({ length: Math.floor((toMs - fromMs) / intervalMs) }, (_, n) => ({
      time: fromMs + (n + 1) * intervalMs,
      num: random.below(most),
    }));
  return { requests: points(50_000), attacks: points(2_000) };
}

function drawAnswer(url: URL, random: SeededRandom): { status: number; headers: Record<string, string>; text: string } {
  const status = random.below(12) === 0 ? random.pick(STATUSES) : 200;
  let body = honestBody(url, random);
  for (let changes = random.below(4); changes > 0; changes -= 1) body = mutateJson(body, random);
  const json = JSON.stringify(body) ?? '';
  const text = random.below(6) === 0 ? mutateText(json, random) : json;
  const headers: Record<string, string> = random.below(30) === 0 ? { 'retry-after': random.pick(RETRY_AFTER) } : {};
  return { status, headers, text: status === 204 ? '' : text };
}

function serve(seed: number): void {
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    const random = createSeededRandom(seed ^ createHash('sha256').update(target).digest().readUInt32LE());
    const { status, headers, text } = drawAnswer(new URL(target, 'http://localhost'), random);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    // Now and then the connection ends in the middle.
    if (random.below(200) === 0) response.write(text.slice(0, text.length / 2), () => response.destroy());
    else response.end(text);
    parentPort?.postMessage('answered');
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    parentPort?.postMessage(port);
  });
}

if (parentPort !== null && typeof workerData?.seed === 'number') serve(workerData.seed);
