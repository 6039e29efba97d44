/** How the bot's process is doing: its own metrics, and its heap after a collection of garbage by the inspector. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { BotProcess } from '../support/bot-process.ts';

export interface Vitals {
  readonly residentMb: number;
  readonly cpuSeconds: number;
  /** Of the event loop since the last look, in milliseconds. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

const MB = 2 ** 20;

export async function readVitals(port: string): Promise<Vitals> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    residentMb: value('process_resident_memory_bytes') / MB,
    cpuSeconds: value('process_cpu_seconds_total'),
    delayP99Ms: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
    delayMaxMs: value('nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}

/** Needs `--inspect`. The heap in use, in megabytes, once what is not needed is collected. */
export async function readHeapMb(bot: BotProcess): Promise<number> {
  const url = /ws:\/\/\S+/.exec(bot.output.err)?.[0];
  if (url === undefined) throw new Error('the bot was not started with an inspector');
  const socket = new WebSocket(url);
  await once(socket, 'open');
  let calls = 0;
  const call = async (method: string): Promise<Record<string, unknown>> => {
    calls += 1;
    const sent = calls;
    socket.send(JSON.stringify({ id: sent, method }));
    for (;;) {
      const [data] = await once(socket, 'message');
      const answer: { id?: number; result?: Record<string, unknown> } = JSON.parse(String(data));
      if (answer.id === sent) return answer.result ?? {};
    }
  };
  for (let round = 0; round < 3; round += 1) await call('HeapProfiler.collectGarbage');
  const { usedSize } = await call('Runtime.getHeapUsage');
  socket.close();
  return Number(usedSize) / MB;
}
