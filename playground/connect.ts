/** The banner of the playground: that everything is simulated, and how to connect the real ones. */
import type { Banner } from './page/index.ts';

export function connectBanner(manifest: string): Banner {
  return {
    text: 'Simulated data, all on your machine. The bot is the real one.',
    button: 'Connect your own Slack and firewall',
    title: 'Connect the real ones, in three steps',
    steps: [
      'At api.slack.com/apps choose “Create New App”, “From a manifest”, and paste the text below. Install it, and make an app-level token with the scope `connections:write`.',
      'Copy `.env.example` to `.env` and fill in the two Slack tokens (`xoxb-…`, `xapp-…`), the addresses of your firewall’s statistics service and identity service, the project, and the credentials.',
      'Run `npm start -- --check-config`, which names every fault at once, then `npm start`. In Slack: `/invite @wafbot`, then `/waf doctor`.',
    ],
    copy: { label: 'The manifest of the app', text: manifest },
  };
}
