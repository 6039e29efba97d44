/** The Prometheus metrics of the bot. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import type { AnsweredQuestion, JobObserver, PagerObserver, ServiceObserver } from './observers.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  let connectedSockets = (): number => 0;
  // Exemplars exist only in the newer of the two formats that Prometheus reads.
  const open = new Registry<OpenMetricsContentType>();
  open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [open];
  collectDefaultMetrics({ register: open });
  new Gauge({
    name: 'wafbot_slack_sockets',
    help: 'Open Socket Mode connections: normally two, none in HTTP mode',
    registers,
    collect() {
      this.set(connectedSockets());
    },
  });
  const metrics = { ...answerMetrics(registers), ...serviceMetrics(registers), ...jobMetrics(registers) };
  startAtZero(metrics);
  const plain = new Registry();
  for (const { name } of open.getMetricsAsArray()) {
    const metric = open.getSingleMetric(name);
    if (metric !== undefined) plain.registerMetric(metric);
  }
  return {
    ...metrics,
    /** `connected` is read at each scrape. */
    readSockets(connected: () => number): void {
      connectedSockets = connected;
    },
    /** So that the first failure of a verb counts as an increase. */
    expectVerbs(verbs: readonly string[]): void {
      for (const verb of ['none', ...verbs])
        for (const outcome of ['answered', 'refused', 'failed']) metrics.questions.inc({ verb, outcome }, 0);
    },
    /** Called when a question begins; the returned function when it has its answer. */
    questionBegins() {
      metrics.questionsUnderWay.inc();
      return ({ reference, verb, outcome, durationMs }: AnsweredQuestion): void => {
        metrics.questionsUnderWay.dec();
        // The process that answers it counts it.
        if (outcome === 'elsewhere') return;
        metrics.questions.inc({ verb, outcome });
        metrics.answerSeconds.observe({ value: durationMs / 1000, exemplarLabels: { reference } });
      };
    },
    /** Wraps the function so that its time is recorded as that of a chart. */
    timed:
      <A, R>(draw: (chart: A) => Promise<R>) =>
      async (chart: A): Promise<R> => {
        metrics.chartsUnderWay.inc();
        const end = metrics.chartSeconds.startTimer();
        try {
          return await draw(chart);
        } finally {
          metrics.chartsUnderWay.dec();
          end();
        }
      },
    /** `project`: its name, if there are several. */
    serviceObserver: (project: string | undefined) => observeService(metrics, project === undefined ? {} : { project }),
    jobObserver: observeJobs(metrics),
    /** Only creates series for pagers that are configured. */
    pagerObserver: (pagers: readonly string[]) => observePagers(metrics, pagers),
    /** In the newer format, with exemplars, if the scraper accepts it. */
    async page(accept = ''): Promise<{ readonly contentType: string; readonly text: string }> {
      const registry = accept.includes('application/openmetrics-text') ? open : plain;
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    /** For the docs. */
    describe: () => plain.getMetricsAsArray().map(({ name, help, type }) => ({ name, help, type: String(type) })),
  };
}

type Recorded = ReturnType<typeof serviceMetrics> & ReturnType<typeof jobMetrics>;

/** Prometheus sees no increase in a series that begins with its first event. */
function startAtZero({ digests, watchLooks, alerts, storeErrors }: Recorded): void {
  for (const outcome of ['sent', 'late', 'apologised', 'failed']) digests.inc({ outcome }, 0);
  for (const level of ['calm', 'between', 'elevated', 'surge', 'unknown']) watchLooks.inc({ level }, 0);
  for (const kind of ['new', 'back', 'worse', 'jump', 'again', 'escalated', 'joined', 'over', 'summary'])
    alerts.inc({ kind }, 0);
  for (const cause of ['full', 'away', 'failed']) storeErrors.inc({ cause }, 0);
}

function observeService(metrics: Recorded, labels: { readonly project?: string }): ServiceObserver {
  for (const outcome of ['issued', 'upstream_auth']) metrics.tokens.inc({ outcome, ...labels }, 0);
  for (const outcome of ['answered', 'upstream_timeout', 'upstream_unavailable', 'upstream_rate_limited'])
    metrics.requestSeconds.zero({ outcome, ...labels });
  return {
    query: (kind, outcome) => metrics.serviceCalls.inc({ kind, outcome, ...labels }),
    read: (from) => metrics.cacheReads.inc({ from, ...labels }),
    request() {
      metrics.requestsUnderWay.inc(labels);
      const end = metrics.requestSeconds.startTimer(labels);
      return (outcome) => {
        metrics.requestsUnderWay.dec(labels);
        end({ outcome });
      };
    },
    token: (outcome) => metrics.tokens.inc({ outcome, ...labels }),
  };
}

function observeJobs(metrics: Recorded): JobObserver {
  return {
    digestDue: () => metrics.digestsDue.inc(),
    digest: (outcome) => metrics.digests.inc({ outcome }),
    watchLook: (level) => metrics.watchLooks.inc({ level }),
    alert: (kind) => metrics.alerts.inc({ kind }),
    postWaiting() {
      metrics.postsWaiting.inc();
      return () => metrics.postsWaiting.dec();
    },
  };
}

function observePagers({ pages, pagesWaiting }: Recorded, pagers: readonly string[]): PagerObserver {
  for (const pager of pagers) for (const outcome of ['sent', 'failed', 'given_up']) pages.inc({ pager, outcome }, 0);
  return {
    page: (pager, outcome) => pages.inc({ pager, outcome }),
    waiting: (count) => pagesWaiting.set(count),
  };
}

type Registers = Registry<OpenMetricsContentType>[];

const answerMetrics = (registers: Registers) => ({
  questions: new Counter({
    name: 'wafbot_questions_total',
    help: 'Questions by verb and outcome: answered, refused (the asker can do something about it) or failed',
    labelNames: ['verb', 'outcome'] as const,
    registers,
  }),
  answerSeconds: new Histogram({
    name: 'wafbot_answer_seconds',
    help: 'Time from a question to its delivered answer; exemplars have the reference that the log has',
    buckets: SECONDS,
    enableExemplars: true,
    registers,
  }),
  questionsUnderWay: new Gauge({
    name: 'wafbot_questions_under_way',
    help: 'Questions that are being answered',
    registers,
  }),
  chartSeconds: new Histogram({
    name: 'wafbot_chart_seconds',
    help: 'Time to draw a chart, including its wait in the queue',
    buckets: SECONDS,
    registers,
  }),
  chartsUnderWay: new Gauge({
    name: 'wafbot_charts_under_way',
    help: 'Charts that are being drawn or waiting in the queue',
    registers,
  }),
  unhandledFaults: new Counter({
    name: 'wafbot_unhandled_faults_total',
    help: 'Unhandled exceptions and rejections; the first one stops the process',
    labelNames: ['origin'] as const,
    registers,
  }),
});

const serviceMetrics = (registers: Registers) => ({
  serviceCalls: new Counter({
    name: 'wafbot_service_calls_total',
    help: 'Queries to the statistics service, including cached answers, by kind and outcome, and by project if there are several',
    labelNames: ['kind', 'outcome', 'project'] as const,
    registers,
  }),
  cacheReads: new Counter({
    name: 'wafbot_cache_reads_total',
    help: 'Windows of numbers by where they came from: cache, service, or stale (an older answer while the service is down)',
    labelNames: ['from', 'project'] as const,
    registers,
  }),
  requestSeconds: new Histogram({
    name: 'wafbot_service_request_seconds',
    help: 'Duration of a request to the statistics service including retries, by outcome',
    labelNames: ['outcome', 'project'] as const,
    buckets: SECONDS,
    registers,
  }),
  requestsUnderWay: new Gauge({
    name: 'wafbot_service_requests_under_way',
    help: 'Requests to the statistics service that are running or waiting for their turn',
    labelNames: ['project'] as const,
    registers,
  }),
  tokens: new Counter({
    name: 'wafbot_service_tokens_total',
    help: 'Tokens requested from the identity service, by outcome',
    labelNames: ['outcome', 'project'] as const,
    registers,
  }),
  storeErrors: new Counter({
    name: 'wafbot_store_errors_total',
    help: 'Failed store operations, by cause: full, away (Redis) or failed',
    labelNames: ['cause'] as const,
    registers,
  }),
});

const jobMetrics = (registers: Registers) => ({
  digestsDue: new Counter({
    name: 'wafbot_digests_due_total',
    help: 'Digests that came due, once for each due time',
    registers,
  }),
  digests: new Counter({
    name: 'wafbot_digests_total',
    help: 'Digests by outcome: sent, late (sent more than five minutes after it was due, or with time that was missed before), apologised (sent without numbers) or failed',
    labelNames: ['outcome'] as const,
    registers,
  }),
  watchLooks: new Counter({
    name: 'wafbot_watch_evaluations_total',
    help: 'Watch evaluations by the level they found: calm, between (not clearly calm again), elevated, surge or unknown (no numbers)',
    labelNames: ['level'] as const,
    registers,
  }),
  alerts: new Counter({
    name: 'wafbot_alerts_total',
    help: 'Messages of watches that notify people, by kind: new, back, worse, jump, again, escalated, joined, over or summary',
    labelNames: ['kind'] as const,
    registers,
  }),
  pages: new Counter({
    name: 'wafbot_pages_total',
    help: 'Attempts to notify a pager of an episode, by pager (pagerduty, alertmanager, webhook) and outcome: sent, failed (will be retried) or given_up',
    labelNames: ['pager', 'outcome'] as const,
    registers,
  }),
  pagesWaiting: new Gauge({
    name: 'wafbot_pages_waiting',
    help: 'States of episodes that a pager has not received yet',
    registers,
  }),
  postsWaiting: new Gauge({
    name: 'wafbot_posts_waiting',
    help: 'Digests and alerts waiting for their turn under the Slack rate limit',
    registers,
  }),
});
