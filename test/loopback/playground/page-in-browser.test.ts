import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../pictures/pixels.ts';
import { browserAvailable, browserNote } from '../../support/browser.ts';
import { casesOf } from '../../support/counts.ts';
import { type BrowserStage, openWindow, PHONE, startBrowserStage, type Window } from './browser-stage.ts';

interface Picture {
  readonly width: number;
  readonly naturalWidth: number;
}
/** In the browser: the height of a chart's letters, which are drawn 32 pixels high. */
const textOfChart = ({ width, naturalWidth }: Picture) => (32 * width) / naturalWidth;
const isCutOff = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
  scrollWidth > clientWidth;

/** The color of the first pixel, and whether there is a line in the orange that charts have for attacks. */
async function colorsOf(path: string) {
  const { rgba, find } = await decode(readFileSync(path));
  return { corner: rgba.subarray(0, 3).join(), hasChart: find('#c9480c', 40).length > 1_000 };
}

describe.skipIf(!browserAvailable)(`the page of the playground in a browser${browserNote}`, () => {
  let stage: BrowserStage;
  const windows: Window[] = [];
  beforeAll(async () => {
    stage = await startBrowserStage();
  });
  afterAll(() => stage?.stop());
  afterEach(async () => {
    for (const window of windows.splice(0)) {
      await window.close();
      expect(window.heard).toEqual({ complaints: [], strangers: [] });
    }
  });
  async function open(...how: Parameters<BrowserStage['open']>): Promise<Window> {
    const window = await stage.open(...how);
    windows.push(window);
    return window;
  }
  const focused = ({ page }: Window) => page.evaluate('document.activeElement.id');

  it.each(casesOf(['light', 'dark'] as const, (each) => each === 'light'))(
    'breaks no rule of accessibility in %s',
    async (colorScheme) => {
      const window = await open({ colorScheme });
      const { page } = window;
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(colorScheme === 'dark' ? 'rgb(26, 29, 33)' : 'rgb(255, 255, 255)');
      expect(await window.violations()).toEqual([]);
      await page.locator('#messages .replies').first().click();
      await page.locator('#replies .message').first().waitFor();
      expect(await window.violations()).toEqual([]);
      await page.locator('#thread-close').click();
      await page.locator('#messages [data-share]').last().focus();
      await page.keyboard.press('Enter');
      await page.locator('#share-picture:visible').waitFor();
      expect(await window.violations()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.fill('#box', '/');
      await page.locator('#suggestions li:visible').first().waitFor();
      expect(await window.violations()).toEqual([]);
      await page.fill('#box', '');
      await page.locator('#banner-open').click();
      expect(await window.violations()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('[data-place=home]').click();
      await page.locator('.home button').first().waitFor();
      expect(await window.violations()).toEqual([]);
    },
  );

  it('fits a telephone: nothing sticks out to the side, and every target can be hit', async () => {
    const window = await open({ viewport: PHONE, hasTouch: true, at: '#/security' });
    const { page } = window;
    await page.locator('#drawer').waitFor({ state: 'hidden' });
    expect((await page.locator('#messages').boundingBox())?.y).toBeLessThan(100);
    await window.answerTo(() => window.ask('/waf attacks last 24h'));
    expect(await window.sideways()).toEqual([]);
    // Pictures have their place before they have arrived, and open at a size at which they can be read.
    const unmeasured = `[...document.querySelectorAll('img.large')].filter((image) => !image.hasAttribute('height')).length`;
    expect(await page.evaluate(unmeasured)).toBe(0);
    await window.newest().locator('.shot').tap();
    await page.locator('#viewer[open]').waitFor();
    expect(await page.locator('#viewer-picture').evaluate(textOfChart)).toBeGreaterThanOrEqual(11);
    expect(await window.violations()).toEqual([]);
    await page.locator('#viewer').getByRole('button', { name: 'Close' }).tap();
    await page.locator('#menu').tap();
    await page.locator('#places .place.current').waitFor();
    expect(await page.locator('#person').evaluate(isCutOff)).toBe(false);
    expect(await window.sideways()).toEqual([]);
    // axe doesn't know that a popover covers what is behind it.
    expect(await window.violations('#places')).toEqual([]);
    await page.locator('[data-place=security]').tap();
    await page.locator('#places').waitFor({ state: 'hidden' });
    await window.answerTo(() => window.ask('/waf hosts'));
    await window.newest().getByRole('button', { name: /add/i }).first().click();
    await page.locator('#dialog .modal-body').waitFor();
    expect(await window.sideways()).toEqual([]);
    expect(await window.violations()).toEqual([]);
    await page.locator('#dialog [data-close]').first().click();
    await page.locator('#drawer-toggle').click();
    await page.locator('#drawer').waitFor();
    expect(await window.sideways()).toEqual([]);
    expect(await window.violations()).toEqual([]);
    const small = `[...document.querySelectorAll('button, select, summary, [role=option], input')]
      .map((target) => [target, target.getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(([target]) => target.outerHTML.slice(0, 120))`;
    expect(await page.evaluate(small)).toEqual([]);
    // A chip in the drawer closes it, so that the answer is seen.
    await window.answerTo(() => page.locator('#drawer [data-example]').first().click());
    await page.locator('#drawer').waitFor({ state: 'hidden' });
  });

  it('can be used with the keyboard alone', async () => {
    const window = await open({ at: '#/security' });
    const { page } = window;
    const { keyboard } = page;
    await expect.poll(() => focused(window)).toBe('box');
    await keyboard.type('/waf tim');
    await page.locator('#suggestions li:visible').first().waitFor();
    await keyboard.press('ArrowDown');
    expect(await page.getAttribute('#box', 'aria-activedescendant')).toMatch(/^suggestion-/);
    await keyboard.press('Enter');
    expect(await page.inputValue('#box')).toMatch(/^\/waf timeline/);
    const answer = await window.answerTo(() => keyboard.press('Enter'));
    // What was sent comes back with the arrow.
    await keyboard.press('ArrowUp');
    expect(await page.inputValue('#box')).toMatch(/^\/waf timeline/);
    await keyboard.press('ArrowDown');
    expect(await page.inputValue('#box')).toBe('');
    await page.reload();
    await expect.poll(() => focused(window)).toBe('box');
    await keyboard.press('ArrowUp');
    expect(await page.inputValue('#box')).toMatch(/^\/waf timeline/);
    await page.fill('#box', '');
    const isOnButton = `/categor/i.test(document.activeElement.textContent) && document.activeElement.matches('#messages .button')`;
    await expect
      .poll(async () => {
        await keyboard.press('Shift+Tab');
        return page.evaluate(isOnButton);
      })
      .toBe(true);
    expect(await answer.isVisible()).toBe(true);
    await keyboard.press('Enter');
    await page.locator('#replies .message').first().waitFor();
    await page.locator('#reply-box').focus();
    await keyboard.type('thanks');
    await keyboard.press('Enter');
    await page.locator('#replies .message', { hasText: 'thanks' }).waitFor();
    await keyboard.press('ArrowUp');
    expect(await page.inputValue('#reply-box')).toBe('thanks');
    await page.fill('#reply-box', '');
    await keyboard.press('Escape');
    await page.locator('#thread').waitFor({ state: 'hidden' });
    // A button that is gone once it was pressed leaves the focus to what comes in its place.
    await window.answerTo(() => window.ask('/waf hosts add web 3f1c9a7e52b84d06a1e0c47d95b2f8a1'));
    const removed = await window.answerTo(() => window.ask('/waf hosts remove web'));
    await removed.getByRole('button', { name: 'Undo' }).press('Enter');
    await removed.getByText(/host added/i).waitFor();
    expect(await page.evaluate(`document.activeElement.matches('#messages .message.bot button')`)).toBe(true);
    // The drawer, from its button: closed, opened.
    await page.locator('#drawer-toggle').focus();
    await keyboard.press('Enter');
    await page.locator('#drawer').waitFor({ state: 'hidden' });
    await keyboard.press('Enter');
    await page.locator('#drawer').waitFor();
  });

  it('draws a message and its chart as a picture, in light and dark, or says who can', async () => {
    const window = await open();
    const { page } = window;
    const share = window.newest().locator('[data-share]');
    await window.newest().locator('img.large').waitFor();
    await share.press('Enter');
    const seen = new Map<string, Awaited<ReturnType<typeof colorsOf>>>();
    for (const theme of ['Light', 'Dark']) {
      await page.locator('#share').getByLabel(theme).check();
      await page.locator('#share-status', { hasText: /1560 × \d{4} pixels/ }).waitFor();
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#share-download').click()]);
      expect(download.suggestedFilename()).toBe(`wafbot-2026-11-17T0700-${theme.toLowerCase()}.png`);
      seen.set(theme, await colorsOf(await download.path()));
    }
    expect(seen.get('Light')).toMatchObject({ corner: '255,255,255', hasChart: true });
    expect(seen.get('Dark')).toMatchObject({ corner: '26,29,33', hasChart: true });
    await page.keyboard.press('Escape');
    // As in a browser that refuses to read what was painted from a page.
    await page.evaluate(`HTMLCanvasElement.prototype.toBlob = () => { throw new DOMException('', 'SecurityError'); }`);
    await share.press('Enter');
    await page.locator('#share-status', { hasText: 'Chrome, Edge and Firefox can' }).waitFor();
    expect(await page.locator('#share-download').isVisible()).toBe(false);
  });

  it('leads the Tab key to the conversation before the drawer, past the channels on request', async () => {
    const window = await open({ at: '#/general' });
    const { page } = window;
    expect(await page.evaluate(`document.querySelector('a[href], button, input, select').id`)).toBe('skip');
    await page.locator('#skip').press('Enter');
    const parts: unknown[] = [];
    while (parts.at(-1) !== 'drawer') {
      const part = await page.evaluate(`document.activeElement.closest('[id]:is(div, form, section, body)')?.id`);
      if (part !== parts.at(-1)) parts.push(part === 'drawer-body' ? 'drawer' : part);
      await page.keyboard.press('Tab');
    }
    expect(parts).toEqual(['messages', 'strip', 'composer', 'drawer']);
  });

  it('keeps its place through reload and back', async () => {
    const window = await open();
    const { page } = window;
    await page.locator('#title', { hasText: '# oncall' }).waitFor();
    await page.locator('#messages .replies').first().click();
    await page.locator('#replies .message').first().waitFor();
    await page.reload();
    await page.locator('#replies .message').first().waitFor();
    expect(await page.locator('#title').innerText()).toBe('# oncall');
    await page.locator('[data-place=direct]').click();
    await page.locator('#title', { hasText: 'wafbot' }).waitFor();
    await page.locator('[data-person]').selectOption({ label: 'Diego Fuentes' });
    await window.ask('hosts');
    await page.locator('#messages .message.bot', { hasText: 'blog' }).first().waitFor();
    await page.reload();
    await page.locator('#messages .message.bot', { hasText: 'blog' }).first().waitFor();
    await page.goBack();
    await page.locator('#messages .message.bot').first().waitFor({ state: 'detached' });
    await page.goBack();
    await page.locator('#replies .message').first().waitFor();
    // A link to a message leads to it.
    await page.keyboard.press('Escape');
    await page.locator('#messages [data-message]').first().click();
    await page.locator('#messages .message.updated').waitFor();
  });

  it('does not take a step back that was taken while a screen was on its way', async () => {
    const { page } = await open({ at: '#/home' });
    await page.locator('.home').waitFor();
    await page.locator('[data-place=direct]').click();
    // The title of the Home tab has the same word in it.
    await page.locator('.home').waitFor({ state: 'detached' });
    // The address changes after the screen has come and before the page hears of it.
    await page.evaluate(`{
      const { json } = Response.prototype;
      let isLeft = false;
      Response.prototype.json = async function () {
        const read = await json.call(this);
        if (isLeft || !this.url.includes('/screen')) return read;
        isLeft = true;
        location.hash = '#/home';
        return read;
      };
      document.dispatchEvent(new Event('visibilitychange'));
    }`);
    await page.locator('.home').waitFor();
    expect(page.url()).toContain('#/home');
  });

  it('shows a form in the window it was opened in, what is wrong with it, and what came of it in both', async () => {
    const window = await open({ at: '#/security' });
    const { page } = window;
    const second = await page.context().newPage();
    const other = openWindow(page.context(), second, page.url());
    await second.goto(page.url());
    await second.locator('#title', { hasText: '# security' }).waitFor();
    await window.answerTo(() => window.ask('/waf hosts'));
    await other.newest().getByRole('button', { name: /add/i }).first().waitFor();
    await window.newest().getByRole('button', { name: /add/i }).first().click();
    const dialog = page.locator('#dialog');
    const field = (label: string) => dialog.locator('[data-input]', { hasText: label });
    await field('Name').locator('input').fill('forum');
    await field('Domain ID').locator('input').fill('not an ID');
    expect(await second.locator('#dialog').isVisible()).toBe(false);
    // A reload keeps the form: it is the same window.
    const add = () => dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await add();
    await field('Domain ID').locator('.complaint:not([hidden])').waitFor();
    await field('Domain ID').locator('input').fill('3ac26c59e15a4a11bb680a103a29ddb6');
    await add();
    await dialog.waitFor({ state: 'hidden' });
    await other.newest().filter({ hasText: 'forum' }).waitFor();
    expect(other.heard).toEqual({ complaints: [], strangers: [] });
  });

  it("Home's buttons work, and ask first where something would be lost", async () => {
    const window = await open({ at: '#/home' });
    const { page } = window;
    const home = page.locator('.home');
    await home.getByRole('button', { name: 'Pause' }).first().click();
    await home.getByRole('button', { name: 'Resume' }).first().click();
    await home.getByRole('button', { name: 'Resume' }).first().waitFor({ state: 'detached' });
    // A question is answered as a direct message, and the page goes there.
    await home.getByRole('button', { name: 'Last 24 hours' }).click();
    await page.locator('#messages .message.bot img.large').first().waitFor();
    expect(page.url()).toContain('#/direct');
    await page.goBack();
    await home.getByRole('button', { name: 'Remove' }).first().click();
    await page.locator('#question[open]').waitFor();
    await page.locator('#question-no').click();
    expect(await home.getByRole('button', { name: 'Remove' }).count()).toBeGreaterThan(0);
  });

  it('the banner says how to connect the real ones, and copies the manifest', async () => {
    const window = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = window;
    await page.locator('#banner-open').click();
    expect(await page.locator('#connect .steps li').count()).toBe(3);
    await page.locator('#copy').click();
    await page.locator('#copy', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(readFileSync('manifest.yml', 'utf8'));
    await page.keyboard.press('Escape');
    await page.locator('#banner-close').click();
    await page.locator('#banner').waitFor({ state: 'hidden' });
  });

  it('is invited into a channel, and a dropped connection or a lost answer costs nothing', async () => {
    const window = await open({ at: '#/general' });
    const { page } = window;
    await window.ask('/invite @wafbot');
    await page.locator('#messages .message', { hasText: 'to this channel' }).waitFor();
    await window.press('Lose a response');
    await window.press('Revoke the token');
    await window.ask('@wafbot attacks last 4h');
    await page.locator('#thread:not([hidden]) #replies .message.bot').first().waitFor();
    await page.locator('#calls .call.bad', { hasText: 'response lost' }).first().waitFor({ state: 'attached' });
    await page.locator('#calls .call.bad', { hasText: 'token rejected' }).first().waitFor({ state: 'attached' });
    expect(await page.locator('#replies .message.bot').count()).toBe(1);
    await page.locator('#thread-close').click();
    await window.press('Disconnect Slack');
    await page.locator('#calls .call', { hasText: 'apps.connections.open' }).first().waitFor({ state: 'attached' });
    const answers = page.locator('#messages .message.bot');
    const isAnswered = async () => {
      await window.ask('/waf hosts');
      return (await answers.count()) > 0;
    };
    await expect.poll(isAnswered, { interval: 1_000 }).toBe(true);
  });
});
