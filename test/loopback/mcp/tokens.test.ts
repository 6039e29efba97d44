/** What tools and answers cost a model, by the encoding `o200k_base`. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW_MINUTE, SHOP } from '../commands/verdict-stage.ts';
import { type AgentStage, call, openAgentStage } from './agent-stage.ts';

const tokensOf = (value: unknown): number => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

/** A surge that goes on: the answer with the most to say. */
const SURGE = { kind: 'step', fromMinute: NOW_MINUTE - 40, minutes: 300, perMinute: 20, hosts: [SHOP] } as const;
/** And one that is over. */
const EARLIER = { kind: 'spike', fromMinute: NOW_MINUTE - 700, minutes: 45, perMinute: 40, hosts: [SHOP] } as const;

let stage: AgentStage;
beforeAll(async () => {
  stage = await openAgentStage(53, [SURGE, EARLIER]);
});
afterAll(() => stage?.close());

it('the list of tools takes at most 1,500 tokens', async () => {
  const client = await stage.connect('legacy');
  const { tools } = await client.listTools();
  expect(tokensOf(tools)).toBeLessThanOrEqual(1_500);
  await client.close();
});

// Most clients show a model the text or the structure. Some show both, so neither may take much more than it has to.
it.each([
  ['waf_check', { range: 'last 24h', hosts: ['shop'] }, 400],
  ['waf_check', {}, 400],
  ['waf_check', { range: 'last 7 days' }, 400],
  ['waf_ask', { sentence: 'timeline last 24h on shop' }, 800],
  ['waf_ask', { sentence: 'timeline yesterday vs previous' }, 800],
] as const)('an answer to %s %j takes at most its share', async (name, args, limit) => {
  const client = await stage.connect('legacy');
  const { text, structured, failed } = await call(client, name, args);
  expect(failed).toBe(false);
  if (name === 'waf_ask') expect(text.match(/^\S+:\d\d,\d+,\d+/gm)).toHaveLength(48);
  expect(tokensOf(text), text).toBeLessThanOrEqual(limit);
  expect(tokensOf(structured), text).toBeLessThanOrEqual(limit);
  await client.close();
});
