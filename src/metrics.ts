/** Numbers for a supervisor, in Prometheus' format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    questions: new Counter({
      name: 'wafbot_questions_total',
      help: 'Questions answered, by outcome',
      labelNames: ['outcome'] as const,
      registers,
    }),
    answerSeconds: new Histogram({
      name: 'wafbot_answer_seconds',
      help: 'From a question to its answer being delivered',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    sockets: new Gauge({ name: 'wafbot_slack_sockets', help: 'Open Socket Mode connections', registers }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
