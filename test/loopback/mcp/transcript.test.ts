/** A task that an agent does with the tools alone: three calls at most, and its transcript is in the documentation. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NOW_MINUTE, SHOP } from '../commands/verdict-stage.ts';
import { type AgentStage, call, openAgentStage } from './agent-stage.ts';

const NIGHT = { kind: 'step', fromMinute: NOW_MINUTE - 600, minutes: 60, perMinute: 20, hosts: [SHOP] } as const;

let stage: AgentStage;
beforeAll(async () => {
  stage = await openAgentStage(53, [NIGHT]);
});
afterAll(() => stage?.close());

it('“was shop attacked last night, by whom, and is it over?” takes three calls, as documented', async () => {
  const client = await stage.connect({ pin: '2026-07-28' });
  const transcript: string[] = [];
  const ask = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const { text } = await call(client, name, args);
    transcript.push(`→ ${name} ${JSON.stringify(args)}\n${text}`);
    return text;
  };
  const night = await ask('waf_check', { range: 'last night', hosts: ['shop'] });
  // When it began and ended is in the finding, and is the range of the next call.
  const [, from, to] = /^Surge (\d\d:\d\d) – (\d\d:\d\d) · [\d.]+× usual/.exec(night) ?? [];
  const who = await ask('waf_who', { range: `today ${from}-${to}`, hosts: ['shop'] });
  expect(who).toMatch(/^2 addresses in one network sent 45 % of [\d,]+ attacks\n/);
  const now = await ask('waf_check', { hosts: ['shop'] });
  expect(now).toMatch(/^Calm /);
  expect(transcript).toHaveLength(3);
  expect(readFileSync('docs/agents.md', 'utf8')).toContain(transcript.join('\n\n'));
  await client.close();
});
