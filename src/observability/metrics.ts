/** The Prometheus metrics of the bot. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** `connectedSockets` is read at each scrape; `null` in HTTP mode, where there are none. */
export function createMetrics(connectedSockets: () => number | null) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'wafbot_slack_sockets',
    help: 'Open Socket Mode connections; two when all is well, none in HTTP mode',
    registers,
    collect() {
      this.set(connectedSockets() ?? 0);
    },
  });
  return {
    questions: new Counter({
      name: 'wafbot_questions_total',
      help: 'Questions by outcome: answered, refused (the asker can do something about it) or failed',
      labelNames: ['outcome'] as const,
      registers,
    }),
    answerSeconds: new Histogram({
      name: 'wafbot_answer_seconds',
      help: 'From a question to its answer being delivered',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    serviceCalls: new Counter({
      name: 'wafbot_service_calls_total',
      help: 'What the statistics service was asked for, kept answers included, by kind and outcome',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
