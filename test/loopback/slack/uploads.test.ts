import { createCanvas } from '@napi-rs/canvas';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGate, type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { ChartSpec } from '../../../src/charts/spec/index.ts';
import { type Attachments, createAttachments, createPostAndConfirm } from '../../../src/slack/posting/deliver-reply.ts';
import { type ChartUploads, createChartUploads } from '../../../src/slack/posting/picture-messages.ts';
import { createReportDocuments } from '../../../src/slack/posting/report-document.ts';
import { createClients, createRetryOnRateLimit } from '../../../src/slack/transport/web-api.ts';
import { createImpatientClock, type ImpatientClock } from '../../support/impatient-clock.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
/** What is drawn here is the picture that stands for it, not the chart. */
const chart = {} as ChartSpec;
const reply = { title: 'Chart', chart };

function draw(width: number): Uint8Array {
  const canvas = createCanvas(width, 40);
  canvas.getContext('2d').fillRect(3, 3, width / 2, 20);
  return canvas.toBuffer('image/png');
}

let slack: LocalSlack;
let clock: ImpatientClock;
let uploads: ChartUploads;
let attached: Attachments;
let next: Uint8Array;

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  const clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log });
  const retryOnRateLimit = createRetryOnRateLimit(clock, log);
  const postAndConfirm = createPostAndConfirm({ clients, retryOnRateLimit, clock, log });
  const common = { clients, clock, log };
  uploads = createChartUploads({ ...common, retryInBackground: retryOnRateLimit, drawChart: async () => next });
  const documents = createReportDocuments({
    ...{ ...common, retryOnRateLimit },
    identity: { url: 'https://northwind.slack.com/', teamId: 'T1' },
    userName: async () => 'Maya Lindholm',
  });
  attached = createAttachments({ ...common, retryOnRateLimit, postAndConfirm, documents });
});
afterEach(() => slack.stop());

it('the upload is announced with the exact length of the picture', async () => {
  next = draw(300);
  const id = await uploads.uploadChart(reply);
  expect(slack.calls('files.getUploadURLExternal').map(({ args }) => Number(args.length))).toEqual([next.byteLength]);
  expect(slack.file(id ?? '')).toMatchObject({ state: 'completed', length: next.byteLength });
});

it('one picture is uploaded once for all who show it, until Slack refuses it or the upload fails', async () => {
  next = draw(300);
  slack.faults.inject('upload', { kind: 'status', status: 500 });
  expect(await uploads.uploadChart(reply)).toBeNull();
  const [first, second] = await Promise.all([uploads.uploadChart(reply), uploads.uploadChart(reply)]);
  expect(second).toBe(first);
  expect(await uploads.uploadChart(reply)).toBe(first);
  expect(slack.calls('upload')).toHaveLength(2);
  uploads.forget(first ?? '');
  const third = await uploads.uploadChart(reply);
  expect(third).not.toBe(first);
  expect(slack.calls('upload')).toHaveLength(3);
});

it('files are sent side by side and shared by one message', async () => {
  const gate = createGate();
  slack.faults.inject('upload', { kind: 'held', gate });
  const attachments = ['a.csv', 'b.csv'].map((name) => ({ name, title: name, content: name }));
  const files = attached.send({ title: 'Incident', attachments });
  await slack.waitFor(() => slack.calls('upload').length === 2);
  gate.release();
  const [channel] = slack.channels().filter(({ botIsMember }) => botIsMember);
  const { ts } = slack.say({ channel: channel?.id ?? '', text: 'An answer' });
  await attached.attachToThread(files, channel?.id ?? '', ts);
  const [, shared, ...others] = slack.thread(channel?.id ?? '', ts);
  expect(shared?.fileIds).toHaveLength(2);
  expect(others).toEqual([]);
});
