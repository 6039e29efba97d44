import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { mutateJson } from '../../fuzz/mutate-json.ts';
import { count } from '../../support/counts.ts';
import { createSeededRandom, SEED_OF_RUN } from '../../support/seeded-random.ts';
import { type AgentStage, call, openAgentStage, TOKEN } from './agent-stage.ts';

let stage: AgentStage;
afterEach(() => stage?.close());

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CALL = { name: 'waf_hosts', arguments: {} };
/** One of each era, to be changed somewhere. */
const REQUESTS = [
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL },
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...CALL, _meta: META } },
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'waf://verdict' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
];
const MAX_GROWTH_BYTES = 64 * 2 ** 20;
const AT_ONCE = 20;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is still in use: garbage that nobody has collected yet is no leak. */
function liveBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('malformed requests end neither the process nor its memory', { timeout: 300_000 }, async () => {
  stage = await openAgentStage(53);
  const random = createSeededRandom(SEED_OF_RUN);
  const isModern = (body: string): boolean => body.includes('2026-07-28');
  async function send(): Promise<number> {
    const value = mutateJson(random.pick(REQUESTS), random);
    const text = JSON.stringify(value) ?? '';
    // Now and then it isn't JSON at all.
    const body = random.below(10) === 0 ? text.slice(0, random.below(text.length + 1)) : text;
    const response = await fetch(stage.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(isModern(body) && {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'waf_hosts',
        }),
      },
      body,
    });
    await response.text();
    return response.status;
  }
  const statuses = new Map<number, number>();
  let startBytes = 0;
  const rounds = count(10_000, 400, 2_000) / AT_ONCE;
  for (let round = 0; round < rounds; round += 1) {
    for (const status of await Promise.all(Array.from({ length: AT_ONCE }, send)))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (round === Math.floor(rounds / 4)) startBytes = liveBytes();
  }
  expect([...statuses.keys()].filter((status) => ![200, 202, 400, 404, 413].includes(status))).toEqual([]);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(10);
  expect(liveBytes() - startBytes).toBeLessThan(MAX_GROWTH_BYTES);
  const client = await stage.connect('legacy');
  expect((await call(client, 'waf_hosts')).text).toContain('shop');
  await client.close();
});
