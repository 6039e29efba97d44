/**
 * Which frames of a socket the SDK may read. It trusts what Slack sends: a frame `null` or an envelope without its parts
 * would be an unhandled rejection, and it emits a frame's type as an event, so that a frame of type `close` would look
 * like a closed connection.
 */
import type { SocketModeReceiver } from '@slack/bolt';
import type { Logger } from '../../observability/logger.ts';
import { isRecord, parseJson } from './json.ts';

type SocketModeClient = SocketModeReceiver['client'];

const CONTROL = new Set(['hello', 'disconnect']);
const ENVELOPES = new Set(['events_api', 'slash_commands', 'interactive']);

/** Everything else is logged and left unread. */
export function ignoreUnreadableFrames(client: SocketModeClient, log: Logger): void {
  const listeners = client.listeners('ws_message');
  // Events of the client itself, such as `close`. No event of Slack's has one of these names.
  const reserved = new Set([...client.eventNames(), 'connected', 'disconnected', 'disconnecting'].map(String));
  const read = async (data: unknown, isBinary: unknown): Promise<void> => {
    for (const listener of listeners) await listener.call(client, data, isBinary);
  };
  client.removeAllListeners('ws_message');
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    if (!isReadable(data, reserved)) return log.warn({}, 'a frame of the socket could not be read');
    read(data, isBinary).catch((error: unknown) => log.error({ err: error }, 'a frame of the socket failed'));
  });
}

function isReadable(data: unknown, reserved: ReadonlySet<string>): boolean {
  const frame = typeof data === 'string' ? parseJson(data) : null;
  if (!isRecord(frame) || typeof frame.type !== 'string') return false;
  if (CONTROL.has(frame.type)) return true;
  const { payload } = frame;
  if (!ENVELOPES.has(frame.type) || typeof frame.envelope_id !== 'string' || !isRecord(payload)) return false;
  if (frame.type !== 'events_api') return true;
  const { event } = payload;
  return isRecord(event) && typeof event.type === 'string' && !reserved.has(event.type);
}
