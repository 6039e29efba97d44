/** A page in the browser to talk to a bot in a local Slack. */
export { type Page, type PageOptions, startPage } from './start-page.ts';
export type { PageSlack } from './workspace-port.ts';
