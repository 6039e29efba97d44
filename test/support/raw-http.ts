/** HTTP as bytes, for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LONGEST_WAIT_MS } from './clock.ts';

/** Targets that cannot be read as an address, or only just. None of them may do harm. */
export const HOSTILE_TARGETS = [
  '//',
  '///',
  '//[',
  'http://',
  'http://[',
  '*',
  '/%',
  '/\\',
  '//user:pass@',
  '/a b',
  ':',
];

/** What the server answers to these bytes, until it closes the connection. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = await open(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is an answer too.
  socket.on('error', () => undefined);
  socket.setTimeout(LONGEST_WAIT_MS, () => socket.destroy());
  const closed = once(socket, 'close');
  socket.write(bytes);
  await closed;
  return Buffer.concat(chunks).toString();
}

/** The status of a request with this target as it stands; `null` when the connection was just closed. */
export async function statusOf(port: number, target: string, headers = 'host: 127.0.0.1'): Promise<number | null> {
  const answer = await exchange(port, `GET ${target} HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
  return status === undefined ? null : Number(status);
}

/** A client that asks once, is answered, and then sends half of the head of another request. */
export async function sendHalfHead(port: number): Promise<Socket> {
  const socket = await open(port);
  socket.on('error', () => undefined);
  const answered = once(socket, 'data');
  socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  await answered;
  await new Promise<void>((resolve) => void socket.write('GET / HTTP/1.1\r\nhost:', () => resolve()));
  return socket;
}

/** A client that sends the head of a request and the beginning of its body. The server has it once this resolves. */
export async function sendHalfBody(port: number, path: string): Promise<Socket> {
  const socket = await open(port);
  socket.on('error', () => undefined);
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-length: 1000\r\n\r\n`;
  const seen = once(socket, 'data');
  socket.write(head);
  // The server says "continue": it has read the head and waits for a body that does not come.
  await seen;
  socket.write('token=');
  return socket;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}
