/** The local chart server in its own process. */
import { servePeer } from '../load/peer-process.ts';
import { startQuickchart } from '../support/quickchart-server.ts';

const server = await startQuickchart();
const functions = { url: () => server.url };
export type QuickchartPeer = typeof functions;

servePeer(functions);
