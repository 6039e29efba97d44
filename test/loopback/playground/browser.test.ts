import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserAvailable, browserNote, widthOfPicture } from '../../support/browser.ts';
import { type BrowserStage, PHONE, startBrowserStage, type Window } from './browser-stage.ts';

describe.skipIf(!browserAvailable)(`the missions of the playground in a browser${browserNote}`, () => {
  let stage: BrowserStage;
  let window: Window;
  beforeAll(async () => {
    // Hours before the next digest, not a day.
    stage = await startBrowserStage('2026-11-18T03:41:00+01:00');
  });
  afterAll(() => stage?.stop());
  afterEach(async () => {
    await window.close();
    expect(window.heard).toEqual({ complaints: [], strangers: [] });
  });

  it('ask: a chip sends at once, and the answer has numbers and a picture', async () => {
    window = await stage.open();
    const { page } = window;
    expect(await window.mission('ask').count()).toBe(0);
    const answer = await window.answerTo(() => page.locator('#strip [data-example$="timeline last 24h"]').click());
    expect(await answer.innerText()).toMatch(/[\d,]{5,}/);
    expect(await widthOfPicture(answer.locator('img.large'))).toBeGreaterThan(0);
    await page.locator('#messages .typed', { hasText: 'timeline last 24h' }).waitFor();
    await window.mission('ask').waitFor();
    // The chips stay, and those not tried yet come first.
    expect(await page.locator('#strip .chip').last().innerText()).toContain('timeline last 24h');
  });

  it('drill down: a button asks on, and its thread opens by itself', async () => {
    window = await stage.open();
    const { page } = window;
    const answer = await window.answerTo(() => window.ask('/waf timeline last 24h'));
    await answer
      .getByRole('button', { name: /categor/i })
      .first()
      .click();
    const reply = page.locator('#replies .message.bot').nth(1);
    await reply.waitFor();
    expect(page.url()).toMatch(/#\/oncall\/\d+\.\d+$/);
    await answer.locator('.replies', { hasText: '1 reply' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#thread').waitFor({ state: 'hidden' });
  });

  it('compare: asked with a mention, answered in a thread that opens', async () => {
    window = await stage.open({ at: '#/security' });
    const { page } = window;
    await window.ask('@wafbot compare today vs yesterday');
    await page.locator('#replies .message.bot').first().waitFor();
    await page.locator('#thread-close').click();
  });

  it('get an alert, find out who, see what gets through, hand it over', async () => {
    window = await stage.open({ at: '#/security' });
    const { page } = window;
    await page.getByLabel('Type', { exact: true }).selectOption({ label: 'SQL injection' });
    await page.getByLabel('Host').selectOption({ label: 'api' });
    await window.press('Start attack');
    await page.locator('.status', { hasText: 'SQL injection on api, strong' }).waitFor();
    const before = await page.locator('#clock').getAttribute('datetime');
    await window.press('Skip 15 minutes');
    await page.locator('.place.unread[data-place=oncall]').waitFor();
    await window.mission('get-alert').waitFor();
    await page.locator('body:not(.moving)').waitFor();
    const after = await page.locator('#clock').getAttribute('datetime');
    expect(Date.parse(after ?? '') - Date.parse(before ?? '')).toBeGreaterThanOrEqual(900_000);
    await page.locator('[data-place=oncall]').click();
    await page.locator('#messages .new').waitFor();
    const canAcknowledge = page.getByRole('button', { name: 'Acknowledge' });
    const alert = page.locator('#messages .message.bot').filter({ has: canAcknowledge }).last();
    await alert.getByRole('button', { name: 'Who?' }).click();
    await page.locator('#replies .message.bot', { hasText: /One new address sent \d+ %/ }).waitFor();
    await window.mission('who').waitFor({ state: 'attached' });
    await page.locator('#thread-close').click();
    expect(await window.mission('host').count()).toBe(0);
    const check = await window.answerTo(() => page.locator('[data-mission=host] .chip').click());
    // On a busy machine, a line that it's working on it comes first.
    await check.filter({ hasText: /\d+\s% blocked/ }).waitFor();
    await window.mission('host').waitFor();
    await page.locator('[data-mission=hand-over] .chip').click();
    await page.locator('#messages .message.updated').filter({ has: canAcknowledge }).waitFor();
    await alert.getByRole('button', { name: 'Acknowledge' }).click();
    await page.locator('#replies .message.bot').nth(1).waitFor();
    await window.mission('hand-over').waitFor({ state: 'attached' });
    await page.locator('#thread-close').click();
    await window.press('Stop');
    await page.locator('.status').waitFor({ state: 'detached' });
  });

  it('survive an outage: the service is down and the answer says so; fixed, it answers again', async () => {
    window = await stage.open({ at: '#/security' });
    const { page } = window;
    const down = page.getByRole('switch', { name: /Service down/ });
    await down.click();
    await page.locator('[role=switch][aria-checked=true]').waitFor();
    await window.answerTo(() => window.ask('/waf attacks last 2h on blog'));
    await page.locator('#calls .call.bad').first().waitFor();
    await down.click();
    await page.locator('[role=switch][aria-checked=true]').waitFor({ state: 'detached' });
    await window.answerTo(() => window.ask('/waf attacks last 3h on blog'));
    await window.mission('outage').waitFor();
  });

  it('get a digest: fast-forward to the next one', async () => {
    window = await stage.open();
    const { page } = window;
    await window.press('To the next digest');
    await page.locator('body.moving').waitFor();
    await page.locator('body:not(.moving)').waitFor({ timeout: 100_000 });
    const answer = window.newest();
    expect(await answer.locator('header time').getAttribute('datetime')).toMatch(/^2026-11-18T07:00/);
    await window.mission('digest').waitFor();
    await page.locator('#drawer-toggle', { hasText: '7/7' }).waitFor();
  });

  it('ends: what was learned, how to connect, a summary to copy, and another night', async () => {
    window = await stage.open({ viewport: PHONE, hasTouch: true, permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = window;
    await page.locator('#drawer-toggle').tap();
    const ending = page.locator('#ending');
    expect(await ending.locator('.learned li').allInnerTexts()).toEqual([
      expect.stringMatching(/^The watch alerted \d+ minutes after the attack began: SQL injection on api, strong\.$/),
      expect.stringMatching(/^One new address sent \d+ % of [\d,]+ attacks: 198\.1[89]\.\d+\.x\.$/),
      expect.stringContaining('instead of showing zero'),
    ]);
    expect(await window.violations()).toEqual([]);
    expect(await window.sideways()).toEqual([]);
    await ending.getByRole('button', { name: 'Copy summary' }).tap();
    await ending.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('[x] Hand it over');
    expect(copied).toContain(`${new URL(page.url()).origin}/?seed=1&at=2026-11-18T03:41[Europe/Berlin]`);
    await ending.getByRole('button', { name: 'Connect your own Slack' }).tap();
    await page.locator('#connect .steps').waitFor();
    await page.keyboard.press('Escape');
    // Where the page may not copy, the summary is there to be copied by hand.
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))`);
    await ending.locator('[data-copy]').tap();
    await page.locator('#summary').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toContain('[x] Get a digest');
    await ending.getByLabel(/another seed/).fill('3');
    await ending.getByRole('button', { name: 'Play' }).tap();
    await page.locator('#question-yes').tap();
    await page.waitForURL(/\?seed=3/);
    await page.locator('#drawer-toggle', { hasText: '0/7' }).waitFor();
    expect(await page.locator('#messages .message.bot').count()).toBe(4);
  });

  it('says what a seed is where the address has none, and stays in the night it shows', async () => {
    window = await stage.open({ at: '?seed=seven' });
    const { page } = window;
    await page.locator('#toast', { hasText: '“seven” isn’t a seed. Use a whole number' }).waitFor();
    expect(page.url()).not.toContain('seed');
    await page.locator('#messages .message.bot').first().waitFor();
  });
});
