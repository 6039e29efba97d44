/**
 * The picture at the top of the README: a real answer during a wave of attacks, as the page of the playground shows it.
 * Taken anew with `node test/pictures/answer.ts`.
 */
import { writeFile } from 'node:fs/promises';
import { startPage } from '../../playground/page/index.ts';
import { startBrowser, widthOfPicture } from '../support/browser.ts';
import { startWorld, TUESDAY } from '../support/world.ts';

const TARGET = new URL('../../docs/images/answer.png', import.meta.url);
const nowMinute = Math.floor(Date.parse(TUESDAY) / 60_000);

const waves = [{ kind: 'step', fromMinute: nowMinute - 33, minutes: 90, perMinute: 12 }] as const;
const world = await startWorld({ service: { waves, seededWaves: false } });
const page = await startPage({ slack: world.slack });
const browser = await startBrowser();
try {
  const tab = await browser.newPage({ viewport: { width: 1060, height: 1400 }, colorScheme: 'light' });
  await tab.goto(page.url);
  await tab.locator('#title', { hasText: '# security' }).waitFor();
  await tab.fill('#box', '/waf check');
  await tab.press('#box', 'Enter');
  const message = tab.locator('#messages .message.bot').last();
  await widthOfPicture(message.locator('img'));
  await writeFile(TARGET, await message.screenshot());
} finally {
  await browser.close();
  await page.stop();
  await world.stop();
}
