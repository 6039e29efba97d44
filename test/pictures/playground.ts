/**
 * The pictures of the playground's page: a surge that a watch calls (light and dark), the digest of the morning, Home, and
 * the drawer. The whole bot runs behind it, on a clock that starts where these lines say.
 */
import type { Browser, Page as Tab } from 'playwright-core';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { type Playground, startPlayground } from '../../src/start-playground.ts';
import { savePicture } from './save.ts';

interface Studio {
  readonly browser: Browser;
  readonly folder: string;
  readonly isWanted: (name: string) => boolean;
}

const WINDOW = { width: 1280, height: 860 };
const OPEN_AT = { openAtMs: Date.parse('2026-11-17T09:41:00+01:00'), zone: 'Europe/Berlin' };
const NAMES = ['hero', 'hero-dark', 'playground-digest', 'playground-home', 'playground-drawer'];
/** Read in the browser: settles when every picture is there. */
const PICTURES = 'Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))';

export async function takePlayground({ browser, folder, isWanted }: Studio): Promise<void> {
  if (!NAMES.some(isWanted)) return;
  const playground = await startPlayground(readConfig({ PORT: '0' }), createLogger('silent', []), OPEN_AT);
  const take = async (tab: Tab, name: string) => {
    await tab.evaluate(PICTURES);
    await tab.mouse.move(0, 0);
    await tab.locator('#toast').waitFor({ state: 'hidden' });
    await tab.locator('#box').evaluate((box: { blur(): void }) => box.blur());
    if (isWanted(name)) await savePicture(`${folder}/${name}.png`, await tab.screenshot());
  };
  try {
    const light = await openTab(browser, playground, 'light');
    await take(light, 'playground-digest');
    await light.locator('[data-place=home]').click();
    await light.locator('.home').waitFor();
    await take(light, 'playground-home');
    await light.locator('[data-place=oncall]').click();
    await light.locator('#drawer-toggle').click();
    await getAlert(light);
    await take(light, 'playground-drawer');
    for (const [tab, name] of [
      [light, 'hero'],
      [await openTab(browser, playground, 'dark'), 'hero-dark'],
    ] as const) {
      if (await tab.locator('#drawer').isVisible()) await tab.locator('#drawer-close').click();
      await tab.locator('#messages .message.bot').last().waitFor();
      await take(tab, name);
      await tab.close();
    }
  } finally {
    await playground.stop();
  }
}

async function openTab(browser: Browser, { url }: Playground, colorScheme: 'light' | 'dark'): Promise<Tab> {
  const tab = await browser.newPage({ viewport: WINDOW, colorScheme, deviceScaleFactor: 1.5, reducedMotion: 'reduce' });
  await tab.addInitScript(`sessionStorage.setItem('drawer', 'closed'); sessionStorage.setItem('banner', 'closed')`);
  await tab.goto(url);
  await tab.locator('#messages .message.bot').last().waitFor();
  return tab;
}

/** Starts an attack and lets time pass until the watch has called and its message has been brought up to date. */
async function getAlert(tab: Tab): Promise<void> {
  await tab.getByRole('button', { name: 'Start attack' }).click();
  for (const _ of ['it shows', 'it goes on']) {
    await tab.getByRole('button', { name: 'Skip 15 minutes' }).click();
    await tab.locator('body.moving').waitFor();
    await tab.locator('body:not(.moving)').waitFor();
  }
  await tab.locator('[data-mission="get-alert"].done').waitFor();
}
