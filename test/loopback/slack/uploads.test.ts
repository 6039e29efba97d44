import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGate, type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { ChartSpec } from '../../../src/charts/spec/index.ts';
import { createPostOnce, createRetryOnRateLimit } from '../../../src/slack/posting/post-once.ts';
import { createUploads, filledUp, type Uploads } from '../../../src/slack/posting/uploads.ts';
import { createClients } from '../../../src/slack/transport/clients.ts';
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

async function pixelsOf(png: Uint8Array): Promise<Uint8ClampedArray> {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height).data;
}

let slack: LocalSlack;
let clock: ImpatientClock;
let uploads: Uploads;
let next: Uint8Array;
const lengthsAsked = (): number[] => slack.calls('files.getUploadURLExternal').map(({ args }) => Number(args.length));

beforeEach(async () => {
  clock = createImpatientClock('2026-03-10T14:30:00Z');
  slack = await startLocalSlack({ workspace: WORKSPACE, now: () => clock.now().epochMilliseconds });
  const clients = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log });
  const retryOnRateLimit = createRetryOnRateLimit(clock, log);
  const postOnce = createPostOnce({ clients, retryOnRateLimit, clock, log });
  const retries = { retryOnRateLimit, retryPatiently: retryOnRateLimit };
  uploads = createUploads({ clients, postOnce, ...retries, drawChart: async () => next, clock, log });
});
afterEach(() => slack.stop());

it('a filled-up picture has the length that was asked for, and is the same picture', async () => {
  const png = draw(300);
  for (const more of [12, 13, 5_000]) {
    const filled = filledUp(png, png.length + more);
    expect(filled).toHaveLength(png.length + more);
    expect(await pixelsOf(filled)).toEqual(await pixelsOf(png));
  }
});

it('a place is asked for before the picture is drawn, with room for one like the last', async () => {
  next = draw(300);
  await uploads.uploadChart(reply);
  uploads.expectChart();
  await slack.waitFor(() => lengthsAsked().length === 2);
  next = draw(310);
  const id = await uploads.uploadChart(reply);
  expect(lengthsAsked()).toHaveLength(2);
  const file = slack.file(id ?? '');
  expect(file).toMatchObject({ state: 'completed', length: lengthsAsked()[1] });
  expect(await pixelsOf(file?.bytes ?? next)).toEqual(await pixelsOf(next));
});

it('a picture that is longer than its place has one of its own', async () => {
  next = draw(300);
  await uploads.uploadChart(reply);
  uploads.expectChart();
  await slack.waitFor(() => lengthsAsked().length === 2);
  next = filledUp(draw(300), 50_000);
  const id = await uploads.uploadChart(reply);
  expect(lengthsAsked().at(-1)).toBe(50_000);
  expect(slack.file(id ?? '')?.state).toBe('completed');
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
  const files = uploads.sendAttachments({ title: 'Incident', attachments });
  await slack.waitFor(() => slack.calls('upload').length === 2);
  gate.release();
  const [channel] = slack.channels().filter(({ botIsMember }) => botIsMember);
  const { ts } = slack.say({ channel: channel?.id ?? '', text: 'An answer' });
  await uploads.attachToThread(files, channel?.id ?? '', ts);
  const [, shared, ...others] = slack.thread(channel?.id ?? '', ts);
  expect(shared?.fileIds).toHaveLength(2);
  expect(others).toEqual([]);
});
