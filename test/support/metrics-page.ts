/** `docs/metrics.md`: every metric of the bot. */
import { createMetrics } from '../../src/observability/metrics.ts';

export function metricsPage(): string {
  const rows = createMetrics()
    .describe()
    .filter(({ name }) => name.startsWith('wafbot_'));
  return `# Metrics

<!-- Generated from src/observability/metrics.ts by \`npm run docs\`. -->

\`GET /metrics\` serves them to Prometheus; [operations.md](operations.md#health-readiness-metrics) says on which port. A
scraper that accepts OpenMetrics gets exemplars with the answer times: the \`reference\` of a single question, which is also in
the log line \`question done\` and in the error that the asker saw.

[deploy/observability](../deploy/observability) has a Grafana dashboard, alerting rules and their tests:

    promtool test rules deploy/observability/wafbot.rules.test.yml

| metric | type | meaning |
|---|---|---|
${rows.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`).join('\n')}

The rest (\`process_…\`, \`nodejs_…\`) are the default metrics of
[prom-client](https://github.com/siimon/prom-client#default-metrics): CPU, memory, garbage collection, delay of the event loop.
`;
}
