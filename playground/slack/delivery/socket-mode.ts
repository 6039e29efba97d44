/** Delivery over Socket Mode: connection tickets, hello, envelopes, acknowledgements and broken connections. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../json.ts';
import { isForeign, targetOf } from '../loopback-only.ts';
import type { Delivery, Envelope, Transport } from './envelope.ts';

const MAX_CONNECTIONS = 10;

export interface Sockets extends Transport {
  /** A URL for one connection, or undefined if the app already has as many as Slack allows. */
  openUrl(baseUrl: string): string | undefined;
  connected(): number;
  /** Sends a disconnect message on all connections, or on the n-th oldest. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled', index?: number): void;
  /** Terminates without a close frame. */
  drop(index?: number): void;
  /** Leaves the connection open but stops pongs and envelopes on it. New connections are not affected. */
  silence(index?: number): void;
  /** While closed, new connections are refused. */
  setClosed(closed: boolean): void;
  /** Sends this text as a frame, whatever it is. */
  sendFrame(text: string, index?: number): void;
}

interface Connection {
  readonly socket: WebSocket;
  silent: boolean;
  /** Told to disconnect; gets no new envelopes. */
  leaving: boolean;
}

interface SocketsOptions {
  readonly server: Server;
  /** The address that the server listens on. */
  readonly boundTo: string;
  readonly appId: string;
  readonly ackTimeoutMs: number;
  readonly changed: (kind: string) => void;
}

export function createSockets({ server, boundTo, appId, ackTimeoutMs, changed }: SocketsOptions): Sockets {
  const tickets = new Set<string>();
  const connections: Connection[] = [];
  const acks: Acks = new Map();
  let turn = 0;
  let closed = false;
  const sockets = new WebSocketServer({ noServer: true, autoPong: false });

  server.on('upgrade', (request, socket, head) => {
    // First of all: a refused upgrade leaves a socket that can fail, and nothing else handles its errors.
    socket.on('error', () => socket.destroy());
    const ticket = targetOf(request)?.searchParams.get('ticket') ?? '';
    // A ticket is valid for one connection.
    if (isForeign(request, boundTo) || !tickets.delete(ticket) || closed) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => welcome(client, { connections, acks, appId, changed }));
  });

  return {
    openUrl(baseUrl) {
      if (connections.length >= MAX_CONNECTIONS) return undefined;
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${baseUrl.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${appId}`;
    },
    connected: () => connections.filter((connection) => !connection.leaving).length,
    ...connectionFaults(connections),
    setClosed(next) {
      closed = next;
    },
    deliver(envelope, copies) {
      const ready = connections.filter(({ leaving, socket }) => !leaving && socket.readyState === socket.OPEN);
      if (ready.length === 0) {
        return Promise.resolve<Delivery>({ acked: false, error: 'dispatch_failed', ack: {}, elapsedMs: 0 });
      }
      const delivery = awaitAck(envelope, acks, ackTimeoutMs);
      for (let copy = 0; copy < copies; copy += 1) {
        // Slack may use any connection; taking turns makes sure that each one is used.
        const connection = ready[turn++ % ready.length];
        if (connection !== undefined && !connection.silent) connection.socket.send(frameOf(envelope));
      }
      return delivery;
    },
    async stop() {
      for (const { socket } of [...connections]) socket.close(1000);
      await Promise.all([...connections].map(({ socket }) => closedOf(socket)));
      sockets.close();
    },
  };
}

/** What to do with the acknowledgement of an envelope, by its id. */
type Acks = Map<string, (ack: JsonObject) => void>;

interface WelcomeDeps extends Pick<SocketsOptions, 'appId' | 'changed'> {
  readonly connections: Connection[];
  readonly acks: Acks;
}

function welcome(socket: WebSocket, { connections, acks, appId, changed }: WelcomeDeps): void {
  const connection: Connection = { socket, silent: false, leaving: false };
  connections.push(connection);
  socket.on('ping', (data) => {
    if (!connection.silent) socket.pong(data);
  });
  socket.on('message', (data) => {
    const frame = parseJson(data.toString());
    if (connection.silent || !isObject(frame)) return;
    acks.get(stringAt(frame, 'envelope_id') ?? '')?.(objectAt(frame, 'payload') ?? {});
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    connections.splice(connections.indexOf(connection), 1);
    changed('socket_closed');
  });
  const debug = { host: 'local', build_number: 1, approximate_connection_time: 3600 };
  const info = { num_connections: connections.length, connection_info: { app_id: appId } };
  socket.send(JSON.stringify({ type: 'hello', ...info, debug_info: debug }));
  changed('socket_open');
}

function connectionFaults(
  connections: readonly Connection[],
): Pick<Sockets, 'disconnect' | 'drop' | 'silence' | 'sendFrame'> {
  const chosen = (index?: number) => (index === undefined ? [...connections] : connections.slice(index, index + 1));
  return {
    disconnect(reason, index) {
      for (const connection of chosen(index)) {
        connection.leaving = reason !== 'warning';
        connection.socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'local' } }));
      }
    },
    drop(index) {
      for (const connection of chosen(index)) connection.socket.terminate();
    },
    silence(index) {
      for (const connection of chosen(index)) connection.silent = true;
    },
    sendFrame(text, index) {
      for (const connection of chosen(index)) connection.socket.send(text);
    },
  };
}

function awaitAck({ id }: Envelope, acks: Acks, timeoutMs: number): Promise<Delivery> {
  const startedMs = performance.now();
  const elapsed = () => performance.now() - startedMs;
  return new Promise((resolve) => {
    const settle = (delivery: Delivery) => {
      clearTimeout(timer);
      acks.delete(id);
      resolve(delivery);
    };
    const timer = setTimeout(
      () => settle({ acked: false, error: 'operation_timeout', ack: {}, elapsedMs: elapsed() }),
      timeoutMs,
    );
    acks.set(id, (ack) => settle({ acked: true, ack, elapsedMs: elapsed() }));
  });
}

/** Waits for the closing handshake, and terminates clients that don't answer it. */
function closedOf(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), 500);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function frameOf(envelope: Envelope): string {
  const isEvent = envelope.type === 'events_api';
  const retry = isEvent
    ? { retry_attempt: envelope.retry?.attempt ?? 0, retry_reason: envelope.retry?.reason ?? '' }
    : {};
  return JSON.stringify({
    envelope_id: envelope.id,
    type: envelope.type,
    accepts_response_payload: !isEvent,
    payload: envelope.payload,
    ...retry,
  });
}
