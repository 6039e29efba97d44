/** The local chart server in a process of its own. */
import { servePeer } from '../load/peer-process.ts';
import { startQuickchart } from '../support/quickchart-server.ts';

const server = await startQuickchart();
const functions = { url: () => server.url };
export type QuickchartPeer = typeof functions;

servePeer(functions);
