/** A page in the browser to talk to a bot in a local Slack. */
export type { CallLine, Drawer, DrawerState, Mission, Panel, Pressed } from './drawer-port.ts';
export type { Banner, Suggestion } from './shell.ts';
export { type Page, type PageOptions, startPage } from './start-page.ts';
export type { PageSlack } from './workspace-port.ts';
