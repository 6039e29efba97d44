/** The pages that `npm run docs` writes and a test compares. */
import { renderTimeDoc } from '../unit/time/time-doc.ts';
import { cliPage } from './cli-page.ts';
import { commandsPage } from './commands-page.ts';
import { configurationPage } from './configuration-page.ts';
import { agentManifest, slackbotManifest, workflowsManifest } from './manifests.ts';
import { metricsPage } from './metrics-page.ts';
import { scriptsPage } from './scripts-page.ts';
import { servicesPage } from './services-page.ts';
import { tenCharts } from './ten-charts.ts';
import { verdictPage } from './verdict-constants.ts';

export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'manifest.agent.yml': agentManifest,
  'manifest.slackbot.yml': slackbotManifest,
  'manifest.workflows.yml': workflowsManifest,
  'docs/cli.md': cliPage,
  'docs/commands.md': commandsPage,
  'docs/configuration.md': configurationPage,
  'docs/metrics.md': metricsPage,
  'docs/scripts.md': scriptsPage,
  'docs/services.md': servicesPage,
  'docs/time.md': renderTimeDoc,
  'docs/images/ten-charts.svg': tenCharts,
  'docs/verdict-details.md': verdictPage,
};
