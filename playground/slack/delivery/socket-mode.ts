/** Delivery over Socket Mode: one-time connection tickets, hello, envelopes and acknowledgements, broken connections. */
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

export function createSockets(options: {
  readonly server: Server;
  /** The address that the server listens on. */
  readonly boundTo: string;
  readonly appId: string;
  readonly ackTimeoutMs: number;
  readonly changed: (kind: string) => void;
}): Sockets {
  const tickets = new Set<string>();
  const connections: Connection[] = [];
  const waiting = new Map<string, (ack: JsonObject) => void>();
  let turn = 0;
  let closed = false;
  const sockets = new WebSocketServer({ noServer: true, autoPong: false });

  options.server.on('upgrade', (request, socket, head) => {
    // Before anything else: an upgrade that is refused has a socket that can fail, and nobody else listens to it.
    socket.on('error', () => socket.destroy());
    const ticket = targetOf(request)?.searchParams.get('ticket') ?? '';
    // A ticket is valid for one connection.
    if (isForeign(request, options.boundTo) || !tickets.delete(ticket) || closed) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => welcome(client));
  });

  const welcome = (socket: WebSocket) => {
    const connection: Connection = { socket, silent: false, leaving: false };
    connections.push(connection);
    socket.on('ping', (data) => {
      if (!connection.silent) socket.pong(data);
    });
    socket.on('message', (data) => {
      const frame = parseJson(data.toString());
      if (connection.silent || !isObject(frame)) return;
      waiting.get(stringAt(frame, 'envelope_id') ?? '')?.(objectAt(frame, 'payload') ?? {});
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      connections.splice(connections.indexOf(connection), 1);
      options.changed('socket_closed');
    });
    const debug = { host: 'local', build_number: 1, approximate_connection_time: 3600 };
    const info = { num_connections: connections.length, connection_info: { app_id: options.appId } };
    socket.send(JSON.stringify({ type: 'hello', ...info, debug_info: debug }));
    options.changed('socket_open');
  };

  const chosen = (index?: number) => (index === undefined ? [...connections] : connections.slice(index, index + 1));

  return {
    openUrl(baseUrl) {
      if (connections.length >= MAX_CONNECTIONS) return undefined;
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${baseUrl.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${options.appId}`;
    },
    connected: () => connections.filter((connection) => !connection.leaving).length,
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
    setClosed(next) {
      closed = next;
    },
    sendFrame(text, index) {
      for (const connection of chosen(index)) connection.socket.send(text);
    },
    deliver(envelope, copies) {
      const startedMs = performance.now();
      const elapsed = () => performance.now() - startedMs;
      const live = connections.filter((connection) => !connection.leaving);
      const ready = live.filter((connection) => connection.socket.readyState === connection.socket.OPEN);
      if (ready.length === 0) {
        return Promise.resolve<Delivery>({ acked: false, error: 'dispatch_failed', ack: {}, elapsedMs: elapsed() });
      }
      return new Promise<Delivery>((resolve) => {
        const settle = (delivery: Delivery) => {
          clearTimeout(timer);
          waiting.delete(envelope.id);
          resolve(delivery);
        };
        const timer = setTimeout(
          () => settle({ acked: false, error: 'operation_timeout', ack: {}, elapsedMs: elapsed() }),
          options.ackTimeoutMs,
        );
        waiting.set(envelope.id, (ack) => settle({ acked: true, ack, elapsedMs: elapsed() }));
        for (let copy = 0; copy < copies; copy += 1) {
          // Slack may use any connection; taking turns makes sure that each one is used.
          const connection = ready[turn++ % ready.length];
          if (connection !== undefined && !connection.silent) connection.socket.send(frameOf(envelope));
        }
      });
    },
    async stop() {
      for (const { socket } of [...connections]) socket.close(1000);
      await Promise.all([...connections].map(({ socket }) => closedOf(socket)));
      sockets.close();
    },
  };
}

/** Waits for the closing handshake, and terminates clients that do not answer it. */
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
