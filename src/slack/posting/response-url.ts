/** Answers through the `response_url` of a command or a button. Five uses in thirty minutes, then Slack says 404. */
import ky from 'ky';
import type { Responder } from './reply-target.ts';

const TIMEOUT_MS = 10_000;

export function createResponder(responseUrl: string): Responder {
  // Slack's SDK has a `respond` too, but without any time limit.
  const send = async (body: Readonly<Record<string, unknown>>): Promise<void> => {
    await ky.post(responseUrl, { json: body, timeout: TIMEOUT_MS, retry: 0 });
  };
  return {
    respond(message, { inChannel, replace = false, threadTs }) {
      const where = threadTs === undefined ? {} : { thread_ts: threadTs };
      const how = { response_type: inChannel ? 'in_channel' : 'ephemeral', replace_original: replace };
      return send({ ...message, ...where, ...how });
    },
  };
}
