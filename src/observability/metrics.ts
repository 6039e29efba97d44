/** The Prometheus metrics of the bot. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export function createMetrics() {
  let connectedSockets = (): number => 0;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'wafbot_slack_sockets',
    help: 'Open Socket Mode connections: normally two, none in HTTP mode',
    registers,
    collect() {
      this.set(connectedSockets());
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
      help: 'Time from a question to its delivered answer',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    serviceCalls: new Counter({
      name: 'wafbot_service_calls_total',
      help: 'Queries to the statistics service, including cached answers, by kind and outcome, and by project if there are several',
      labelNames: ['kind', 'outcome', 'project'] as const,
      registers,
    }),
    unhandledFaults: new Counter({
      name: 'wafbot_unhandled_faults_total',
      help: 'Unhandled exceptions and rejections; the first one stops the process',
      labelNames: ['origin'] as const,
      registers,
    }),
    /** `connected` is read at each scrape. */
    readSockets(connected: () => number): void {
      connectedSockets = connected;
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
