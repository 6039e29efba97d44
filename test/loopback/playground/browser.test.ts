import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type Playground, startPlayground } from '../../../src/start-playground.ts';
import { browserAvailable, browserNote, listenTo, startBrowser, widthOfPicture } from '../../support/browser.ts';

/** Read in the browser: what sticks out to the side of the page or of one of its columns. */
const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll('main, #messages, #thread, #replies, .modal-body')]
  .filter((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth)
  .map((box) => box.id || box.tagName)`;

describe.skipIf(!browserAvailable)(`the playground in a browser${browserNote}`, () => {
  let playground: Playground;
  let browser: Browser;
  let page: Page;
  let heard: ReturnType<typeof listenTo>;
  beforeAll(async () => {
    playground = await startPlayground(readConfig({ PORT: '0' }), createLogger('silent', []));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await playground?.stop();
  });
  afterEach(async () => {
    await page.close();
    expect(heard).toEqual({ complaints: [], strangers: [] });
  });

  async function open(size: { width: number; height: number }): Promise<void> {
    page = await browser.newPage({ viewport: size });
    page.setDefaultTimeout(25_000);
    heard = listenTo(page, playground.url);
    await page.goto(playground.url);
    await page.locator('#title', { hasText: '# security' }).waitFor();
  }
  async function type(text: string): Promise<void> {
    await page.fill('#box', text);
    await page.press('#box', 'Enter');
  }
  const answer = (title: string) => page.locator('#messages .message.bot', { hasText: title }).last();
  const button = (name: string) => answer('').getByRole('button', { name, exact: true });

  it('shows what to type, answers it with numbers and a picture, and a button goes on in the thread', async () => {
    await open({ width: 1280, height: 900 });
    await page.locator('[data-example="/waf timeline last 24h"]').click();
    expect(await page.inputValue('#box')).toBe('/waf timeline last 24h');
    await page.press('#box', 'Enter');
    await answer('Requests and attacks').waitFor();
    expect(await answer('Requests and attacks').innerText()).toMatch(/[\d,]+ requests, [\d,]+ attacks/);
    expect(await widthOfPicture(page.locator('#messages .bot img'))).toBeGreaterThan(0);
    expect(await page.locator('#messages .bot img').getAttribute('alt')).toMatch(/[\d,]+ requests, [\d,]+ attacks/);

    await button('By category').click();
    await page.locator('#messages [data-thread]', { hasText: '1 reply' }).click();
    const reply = page.locator('#replies .bot', { hasText: 'Attacks by category' });
    expect(await widthOfPicture(reply.locator('img'))).toBeGreaterThan(0);
    expect(await page.locator('#messages .message.bot').count()).toBe(1);
  });

  it('opens a form, shows what is wrong with it beside the field, and takes it when it is right', async () => {
    await open({ width: 1280, height: 900 });
    await type('/waf hosts');
    await button('Add a host').click();
    const dialog = page.locator('#dialog');
    const field = (label: string) => dialog.locator('[data-input]', { hasText: label });
    await field('Name').locator('input').fill('shop');
    await field('Domain ID').locator('input').fill('not an ID');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await field('Domain ID').locator('.complaint:not([hidden])').waitFor();
    await field('Domain ID').locator('input').fill('3ac26c59e15a4a11bb680a103a29ddb6');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await answer('shop').waitFor();
  });

  it('fits a telephone: nothing sticks out to the side', async () => {
    await open({ width: 360, height: 740 });
    await type('/waf attacks last 24h');
    await answer('Attacks by category').waitFor();
    expect(await widthOfPicture(answer('Attacks by category').locator('img'))).toBeGreaterThan(0);
    expect(await page.evaluate(SIDEWAYS)).toEqual([]);
    await type('/waf hosts');
    await button('Add a host').click();
    await page.locator('#dialog .modal-body').waitFor();
    expect(await page.evaluate(SIDEWAYS)).toEqual([]);
  });
});
