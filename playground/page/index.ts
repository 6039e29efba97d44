/** The newcomer's page on a local Slack. */
export { type Page, type PageOptions, startPage } from './start-page.ts';
export type { PageSlack } from './workspace-port.ts';
