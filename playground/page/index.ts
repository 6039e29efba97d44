/** A page in the browser to talk to a bot in a local Slack. */
export type { CallLine, Drawer, DrawerState, Ending, Mission, Panel, Pressed } from './drawer-port.ts';
export type { Nights } from './nights-port.ts';
export type { Banner } from './shell.ts';
export { type Page, startPage } from './start-page.ts';
