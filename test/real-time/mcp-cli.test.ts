/** The server for agents on standard input and output, as a process of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatisticsService, startStatisticsService } from '../../playground/service/server.ts';
import { call, ERAS } from '../loopback/mcp/agent-stage.ts';
import { type BuiltImage, buildImage } from '../support/built-image.ts';

let image: BuiltImage;
let service: StatisticsService;
let folder: string;
beforeAll(async () => {
  image = await buildImage();
  service = await startStatisticsService();
  folder = await mkdtemp(join(tmpdir(), 'wafbot-'));
});
afterAll(async () => {
  image?.remove();
  await service?.close();
  await rm(folder, { recursive: true });
});

const TOOLS = [
  ['waf_check', {}],
  ['waf_ask', { sentence: 'timeline last 3h' }],
  ['waf_incident', { range: 'last 3h' }],
  ['waf_who', {}],
  ['waf_hosts', {}],
] as const;

describe.each(ERAS)('a client %s', (_name, mode) => {
  it('starts it, calls every tool, and ends it', async () => {
    const { url, projectId, key } = service;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [image.program, 'mcp'],
      cwd: folder,
      env: {
        WAF_BASE_URL: url,
        WAF_PROJECT_ID: projectId,
        WAF_ACCESS_KEY: key.accessKey,
        WAF_SECRET_KEY: key.secretKey,
        WAFBOT_ZONE: 'Europe/Berlin',
        // Open in the bot, so that it can't be opened here as well.
        WAFBOT_STORE: 'sqlite:store.db',
      },
      stderr: 'pipe',
    });
    const said: string[] = [];
    transport.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(([name]) => name));
    for (const [name, args] of TOOLS) {
      const { failed, text } = await call(client, name, args);
      expect([name, failed, text]).toEqual([name, false, expect.any(String)]);
      if (name === 'waf_check') expect(text).toContain('Europe/Berlin');
    }
    await client.close();
    expect(said.join('')).toBe('');
  });
});
