/** The calls that an answer waits for, made without the bot: the part of an answer that isn't the bot's own. */
import { Agent, FormData, fetch } from 'undici';
import type { Contender, Service } from './contenders.ts';

type Environment = Awaited<ReturnType<Service['call']['environment']>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Requests six hours and the same six a week before, in parallel, and resolves with the milliseconds it took. */
export async function serviceCallsAlone(environment: Environment): Promise<() => Promise<number>> {
  const { WAF_BASE_URL, WAF_IAM_URL, WAF_PROJECT_ID, WAF_USERNAME, WAF_PASSWORD, WAF_DOMAIN_NAME } = environment;
  const agent = new Agent();
  const user = { name: WAF_USERNAME, password: WAF_PASSWORD, domain: { name: WAF_DOMAIN_NAME } };
  const identity = { methods: ['password'], password: { user } };
  const body = JSON.stringify({ auth: { identity, scope: { project: { id: WAF_PROJECT_ID } } } });
  const issued = await agent.request({ origin: WAF_IAM_URL, path: '/v3/auth/tokens', method: 'POST', body });
  await issued.body.dump();
  const headers = { 'x-auth-token': String(issued.headers['x-subject-token']) };
  const ask = async (fromMs: number): Promise<void> => {
    const path = `/v1/${WAF_PROJECT_ID}/waf/event/timeline?from=${fromMs}&to=${fromMs + 6 * HOUR_MS}&timezone=%2B00%3A00`;
    await (await agent.request({ origin: WAF_BASE_URL, path, method: 'GET', headers })).body.json();
  };
  let minutes = 0;
  return async () => {
    minutes += 1;
    const fromMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 12 * HOUR_MS - minutes * MINUTE_MS;
    const startedMs = performance.now();
    await Promise.all([ask(fromMs), ask(fromMs - WEEK_MS)]);
    return performance.now() - startedMs;
  };
}

/** About the size of the image of six hours. */
const IMAGE_BYTES = 40_000;

/**
 * Uploads a file the size of an image: the URL, the file, the completion, one after the other. Resolves with the
 * milliseconds it took.
 */
export function uploadAlone({ slack }: Contender): () => Promise<number> {
  const agent = new Agent();
  const headers = { authorization: `Bearer ${slack.SLACK_BOT_TOKEN}` };
  const bytes = new Uint8Array(IMAGE_BYTES);
  const call = async (method: string, values: Readonly<Record<string, string>>): Promise<unknown> => {
    const body = new URLSearchParams(values);
    const options = { dispatcher: agent, method: 'POST', headers, body } as const;
    const answer = (await (await fetch(`${slack.SLACK_API_URL}/${method}`, options)).json()) as { ok: boolean };
    if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return async () => {
    const startedMs = performance.now();
    const announced = await call('files.getUploadURLExternal', { filename: 'chart.png', length: String(IMAGE_BYTES) });
    const { file_id: id, upload_url: url } = announced as { file_id: string; upload_url: string };
    const body = new FormData();
    body.append('file', new Blob([bytes]), 'chart.png');
    await (await fetch(url, { dispatcher: agent, method: 'POST', body })).text();
    await call('files.completeUploadExternal', { files: JSON.stringify([{ id, title: 'Chart' }]) });
    return performance.now() - startedMs;
  };
}
