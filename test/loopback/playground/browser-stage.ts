/** The playground, and a window of a browser that shows it as a person would see it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { readConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type Playground, startPlayground } from '../../../src/start-playground.ts';
import { listenTo, startBrowser } from '../../support/browser.ts';

const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Read in the browser: what sticks out to the side of the page or of one of its columns. */
const SIDEWAYS = `[document.documentElement, ...document.querySelectorAll('#nav, main, #messages, #thread, #replies, #drawer-body, .modal-body')]
  .filter((box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth)
  .map((box) => box.id || box.tagName)`;

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Evaluated in the browser: each broken accessibility rule, and where. */
const violationsIn = (
  part: string,
) => `axe.run('${part}', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`;

export interface Window {
  readonly page: Page;
  /** What the page complained about, and what it wanted from elsewhere. */
  readonly heard: ReturnType<typeof listenTo>;
  ask(text: string): Promise<void>;
  /** The bot's newest message in the channel. */
  newest(): Locator;
  /** Waits until the bot has said something that was not there before `act`. */
  answerTo(act: () => Promise<unknown>): Promise<Locator>;
  mission(id: string): Locator;
  press(name: string): Promise<void>;
  sideways(): Promise<unknown>;
  /** Rules of accessibility that the page breaks, or a part of it. */
  violations(part?: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface BrowserStage {
  readonly browser: Browser;
  open(options?: BrowserContextOptions & { readonly at?: string }): Promise<Window>;
  stop(): Promise<void>;
}

export async function startBrowserStage(openAt = '2026-11-17T09:41:00+01:00'): Promise<BrowserStage> {
  const options = { openAtMs: Date.parse(openAt), zone: 'Europe/Berlin' };
  const starting: Promise<Playground> = startPlayground(readConfig({ PORT: '0' }), createLogger('silent', []), options);
  const [playground, browser] = await Promise.all([starting, startBrowser()]);
  return {
    browser,
    async open({ at = '', ...how } = {}) {
      const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...how });
      const window = openWindow(context, await context.newPage(), playground.url);
      await window.page.goto(`${playground.url}/${at}`);
      await window.page.locator('#title', { hasText: /\S/ }).waitFor();
      return window;
    },
    async stop() {
      await browser.close();
      await playground.stop();
    },
  };
}

export function openWindow(context: BrowserContext, page: Page, url: string): Window {
  page.setDefaultTimeout(30_000);
  const heard = listenTo(page, url);
  const messages = page.locator('#messages .message.bot');
  return {
    page,
    heard,
    async ask(text) {
      await page.fill('#box', text);
      await page.press('#box', 'Enter');
    },
    newest: () => messages.last(),
    async answerTo(act) {
      const before = await messages.count();
      await act();
      await messages.nth(before).waitFor();
      return messages.nth(before);
    },
    mission: (id) => page.locator(`[data-mission="${id}"].done`),
    press: (name) => page.locator('#drawer').getByRole('button', { name, exact: true }).click(),
    sideways: () => page.evaluate(SIDEWAYS),
    async violations(part = ':root') {
      await page.evaluate(AXE);
      return page.evaluate(violationsIn(part));
    },
    close: () => context.close(),
  };
}
