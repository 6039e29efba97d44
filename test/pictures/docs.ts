/**
 * `npm run docs-pictures` takes the pictures of the documents anew: real answers of the whole bot between the local Slack
 * and the local service, on a clock that stands still, as the page of the playground draws them on a desk and on a phone;
 * the page itself; and two charts alone. Words after `--` take only pictures whose names begin so. It says how high each answer is.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Browser, Page as Tab } from 'playwright-core';
import { type Page, startPage } from '../../playground/page/index.ts';
import type { Wave } from '../../playground/service/waves.ts';
import type { LocalSlack } from '../../playground/slack/index.ts';
import { createRenderer } from '../../src/charts/index.ts';
import { startBrowser, widthOfPicture } from '../support/browser.ts';
import type { ManualClock } from '../support/clock.ts';
import { passTo, startScheduledWorld, startWorld, type World } from '../support/world.ts';
import { breakdowns } from './breakdowns.ts';
import { takePlayground } from './playground.ts';
import { savePicture } from './save.ts';
import { timelines } from './timelines.ts';

const folder = `${import.meta.dirname}/../../docs/images`;
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.some((start) => name.startsWith(start));
const MINUTE_MS = 60_000;
/** A desk and a phone. */
const WIDTHS = [1440, 390] as const;
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** `step` on every host, on the tenth of March, by the clock of UTC. */
function wave(from: string, to: string, perMinute: number, categories?: Readonly<Record<string, number>>): Wave {
  const minute = (clock: string) => Date.parse(`2026-03-10T${clock}:00Z`) / MINUTE_MS;
  const minutes = minute(to) - minute(from);
  return { kind: 'step', fromMinute: minute(from), minutes, perMinute, ...(categories && { categories }) };
}

interface Studio {
  /** The newest message of the channel, at each width. */
  take(name: string): Promise<void>;
  close(): Promise<void>;
}

async function openStudio(browser: Browser, slack: LocalSlack): Promise<Studio> {
  const page: Page = await startPage({ slack });
  const tabs = await Promise.all(
    WIDTHS.map((width) => browser.newPage({ viewport: { width, height: 1_400 }, colorScheme: 'light' })),
  );
  return {
    async take(name) {
      if (!isWanted(name)) return;
      for (const [index, tab] of tabs.entries()) await shoot(tab, page.url, name, WIDTHS[index] ?? 0);
    },
    async close() {
      await Promise.all(tabs.map((tab) => tab.close()));
      await page.stop();
    },
  };
}

/** Read in the browser: the newest message as the page's own button draws it, smaller so that the files are small. */
const PICTURE = `(async () => {
  const { dataUrl, pictureOf } = await import('/static/picture.js');
  const message = [...document.querySelectorAll('#messages .message.bot')].at(-1);
  const { height, blob } = await pictureOf(message, { theme: 'light', scale: 1 });
  return { height, url: await dataUrl(blob) };
})()`;

async function shoot(tab: Tab, url: string, name: string, width: number): Promise<void> {
  await tab.goto(url);
  await tab.locator('#title', { hasText: '# security' }).waitFor();
  const message = tab.locator('#messages .message.bot').last();
  await message.waitFor();
  for (const picture of await message.locator('img').all()) await widthOfPicture(picture);
  const { height, url: data } = await tab.evaluate<{ height: number; url: string }>(PICTURE);
  await savePicture(`${folder}/${name}-${width}.png`, Buffer.from(data.slice(data.indexOf(',') + 1), 'base64'));
  process.stdout.write(`${name} at ${width} px: ${height} px high\n`);
}

/** Asks one thing after the other and takes the answer to each. */
async function conversation(
  browser: Browser,
  options: Parameters<typeof startWorld>[0],
  questions: Readonly<Record<string, string>>,
  before: (world: World) => void = () => {},
): Promise<void> {
  if (!Object.keys(questions).some(isWanted)) return;
  const world = await startWorld(options);
  const studio = await openStudio(browser, world.slack);
  try {
    before(world);
    for (const [name, text] of Object.entries(questions)) {
      await world.slack.command({ text });
      await world.slack.nextMessage();
      await studio.take(name);
    }
  } finally {
    await studio.close();
    await world.stop();
  }
}

/** Goes on in steps of five minutes until the newest message says it. */
async function until(world: World<ManualClock>, said: RegExp, atMost = 60): Promise<void> {
  for (let step = 0; step < atMost; step += 1) {
    const newest = world.slack.messages('C0SECURITY').findLast(({ threadTs }) => threadTs === undefined);
    if (newest !== undefined && said.test(newest.text)) return;
    await passTo(world, world.clock.now().add({ minutes: 5 }));
  }
  throw new Error(`nothing said ${said}`);
}

async function episode(browser: Browser): Promise<void> {
  if (!['watch-start', 'watch-update', 'watch-over', 'watch-back-again'].some(isWanted)) return;
  const waves = [wave('15:00', '15:40', 14), wave('16:25', '16:55', 16)];
  const world = await startScheduledWorld({ service: { waves, seededWaves: false } });
  const studio = await openStudio(browser, world.slack);
  try {
    await world.slack.command({ text: 'watch' });
    await world.slack.nextMessage();
    await until(world, /Surge|Elevated/u);
    await studio.take('watch-start');
    await passTo(world, '2026-03-10T15:35:00Z');
    await studio.take('watch-update');
    await until(world, /Over/u);
    await studio.take('watch-over');
    await until(world, /Surge again/u);
    await studio.take('watch-back-again');
  } finally {
    await studio.close();
    await world.stop();
  }
}

/** The form that *Edit* opens, as a person sees it. */
async function watchForm(browser: Browser): Promise<void> {
  if (!isWanted('watch-form')) return;
  const world = await startWorld({ service: { seededWaves: false } });
  const page = await startPage({ slack: world.slack });
  try {
    for (const text of ['watch quiet', 'watches']) {
      await world.slack.command({ text });
      await world.slack.nextMessage();
    }
    for (const width of WIDTHS) {
      const tab = await browser.newPage({ viewport: { width, height: 1_400 }, colorScheme: 'light' });
      await tab.goto(page.url);
      await tab.locator('button', { hasText: 'Edit' }).last().click();
      const form = tab.locator('dialog[open] form');
      await form.waitFor();
      await savePicture(`${folder}/watch-form-${width}.png`, await form.screenshot());
      await tab.close();
    }
  } finally {
    await page.stop();
    await world.stop();
  }
}

async function digest(browser: Browser): Promise<void> {
  if (!isWanted('digest')) return;
  const world = await startScheduledWorld({ service: { waves: [wave('15:00', '15:40', 14)], seededWaves: false } });
  const studio = await openStudio(browser, world.slack);
  try {
    await world.slack.command({ text: 'digest daily at 09:00' });
    await world.slack.nextMessage();
    await passTo(world, '2026-03-11T08:00:05Z');
    await studio.take('digest');
  } finally {
    await studio.close();
    await world.stop();
  }
}

/** Away for twenty minutes, in a channel that has a watch. */
async function serviceAway(browser: Browser): Promise<void> {
  if (!isWanted('error-service')) return;
  const world = await startWorld({ service: { seededWaves: false } });
  const studio = await openStudio(browser, world.slack);
  const ask = async (text: string): Promise<void> => {
    await world.slack.command({ text });
    await world.slack.nextMessage();
  };
  try {
    await ask('watch');
    world.clock.set('2026-03-10T14:44:00Z');
    await ask('check');
    world.service.misbehave({ kind: 'reset' });
    world.clock.set('2026-03-10T14:46:00Z');
    await ask('timeline last 3h');
    world.clock.set('2026-03-10T15:05:00Z');
    await ask('timeline last 24h');
    await studio.take('error-service');
  } finally {
    await studio.close();
    await world.stop();
  }
}

async function chartsAlone(): Promise<void> {
  const chosen = {
    timeline: timelines()['a check that found something'],
    breakdown: breakdowns()['all, compared'],
  };
  const renderer = await createRenderer({ kind: 'embedded' }, { log: QUIET });
  for (const [name, spec] of Object.entries(chosen)) {
    if (spec === undefined) throw new Error(`the gallery has no chart for ${name}`);
    if (isWanted(`${name}-chart`)) writeFileSync(`${folder}/${name}-chart.png`, (await renderer.draw(spec)).png);
  }
  await renderer.close();
}

mkdirSync(folder, { recursive: true });
await chartsAlone();
const browser = await startBrowser();
try {
  const surge = [wave('13:57', '16:00', 12)];
  await conversation(
    browser,
    { service: { waves: surge, seededWaves: false } },
    {
      'check-surge': 'check',
      timeline: 'timeline last 24h',
      attacks: 'attacks last 24h',
      compare: 'compare today vs yesterday',
      incident: 'incident last 2h',
    },
  );
  await conversation(
    browser,
    { service: { seededWaves: false } },
    {
      'check-calm': 'check',
      'error-typo': 'timelime last 24h',
      'error-future': 'timeline tomorrow',
    },
  );
  await serviceAway(browser);
  await episode(browser);
  await watchForm(browser);
  await digest(browser);
  await takePlayground({ browser, folder, isWanted });
} finally {
  await browser.close();
}
