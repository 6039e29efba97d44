/** The playground's banner: says that everything is simulated, and how to connect real services. */
import type { Banner } from './page/index.ts';

export function connectBanner(manifest: string): Banner {
  return {
    text: 'This is the real bot with simulated data, running entirely on your machine.',
    button: 'Connect your Slack and firewall',
    short: { text: 'Real bot, simulated data.', button: 'Connect yours' },
    title: 'Connect your Slack and firewall in three steps',
    steps: [
      'At api.slack.com/apps, choose “Create New App”, “From a manifest”, and paste the manifest below. Install the app and create an app-level token with the scope `connections:write`.',
      'Copy `.env.example` to `.env` and fill in the two Slack tokens (`xoxb-…`, `xapp-…`), the URLs of your firewall’s statistics and identity services, the project, and the credentials.',
      'Run `npm start -- --check-config`, which lists every problem at once, then `npm start`. In Slack: `/invite @wafbot`, then `/waf doctor`.',
    ],
    copy: { label: 'App manifest', text: manifest },
  };
}
