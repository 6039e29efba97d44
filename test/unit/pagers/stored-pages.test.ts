/** How far each pager has got with the pages of an episode. */
import { describe, expect, it } from 'vitest';
import { type EpisodePage, type PageOutcome, pageIdOf, pageKeyOf } from '../../../src/pagers/page.ts';
import {
  isDue,
  isFinished,
  nextPage,
  type PagedEpisode,
  progressOf,
  waitingIn,
  withOutcome,
  withoutDead,
  withPage,
} from '../../../src/pagers/stored-pages.ts';
import { signedHeaders } from '../../../src/pagers/webhook.ts';
import { Secret } from '../../../src/secret.ts';

const HOUR_MS = 3_600_000;
const page = (number: number, state: EpisodePage['state'], atMs = 0): EpisodePage => ({
  ...{ key: 'k', number, state, atMs, channel: 'C1', watch: 'w', episode: 'e', hosts: [], summary: 's' },
  ...{ kind: 'attacks_high', level: 'surge', onsetMs: 0, endMs: null, total: null, expected: null, categories: [] },
});
const stored = (...pages: EpisodePage[]): PagedEpisode => {
  const all = pages.reduce<PagedEpisode | undefined>(
    (episode, each) => withPage(episode, each, ['webhook']),
    undefined,
  );
  if (all === undefined) throw new Error('no page');
  return all;
};
const BEGUN_AND_OVER = stored(page(1, 'begun'), page(2, 'over'));
const SENT: PageOutcome = { is: 'sent' };
const FAILED: PageOutcome = { is: 'failed', why: 'HTTP 503' };
const REFUSED: PageOutcome = { is: 'refused', why: 'HTTP 400' };
const attempt = (episode: PagedEpisode, outcome: PageOutcome, nowMs = 0): PagedEpisode => {
  const next = nextPage(episode, 'webhook');
  if (next === undefined) throw new Error('nothing to send');
  return withOutcome(episode, 'webhook', next, outcome, nowMs);
};

describe('pages', () => {
  it('go out in order, each once', () => {
    const first = attempt(BEGUN_AND_OVER, SENT);
    expect(nextPage(first, 'webhook')?.state).toBe('over');
    expect(nextPage(attempt(first, SENT), 'webhook')).toBeUndefined();
  });

  it('are stored once, in order, and nothing follows the end', () => {
    expect(withPage(BEGUN_AND_OVER, page(2, 'over'), [])).toBe(BEGUN_AND_OVER);
    expect(withPage(BEGUN_AND_OVER, page(3, 'worse'), [])).toBe(BEGUN_AND_OVER);
  });

  it('wait longer after each failure, as long as the receiver asks, and are given up after a day', () => {
    const once = attempt(BEGUN_AND_OVER, FAILED, 1_000);
    expect(progressOf(once, 'webhook')).toMatchObject({ failures: 1, nextMs: 6_000, why: 'HTTP 503' });
    expect([isDue(once, 'webhook', 5_999), isDue(once, 'webhook', 6_000)]).toEqual([false, true]);
    expect(progressOf(attempt(once, FAILED, 6_000), 'webhook').nextMs).toBe(16_000);
    expect(progressOf(attempt(once, { ...FAILED, retryAfterMs: 90_000 }, 0), 'webhook').nextMs).toBe(90_000);
    const givenUp = attempt(once, FAILED, 24 * HOUR_MS);
    expect(progressOf(givenUp, 'webhook')).toMatchObject({ done: 1, dead: [{ number: 1, why: 'HTTP 503' }] });
    expect(nextPage(givenUp, 'webhook')?.state).toBe('over');
  });

  it('that are refused hold up nothing, and can be sent once more or dropped', () => {
    const refused = attempt(attempt(BEGUN_AND_OVER, REFUSED), SENT);
    expect(nextPage(refused, 'webhook')).toBeUndefined();
    const again = withoutDead(refused, 'again');
    expect([nextPage(again, 'webhook')?.number, waitingIn(again, 'webhook')]).toEqual([1, 1]);
    expect(progressOf(attempt(again, SENT), 'webhook').dead).toBeUndefined();
    expect(progressOf(attempt(again, FAILED), 'webhook').dead).toHaveLength(1);
    expect(progressOf(withoutDead(refused, 'dropped'), 'webhook').dead).toBeUndefined();
  });

  it('of another attempt are left alone', () => {
    const done = attempt(BEGUN_AND_OVER, SENT);
    expect(withOutcome(done, 'webhook', page(1, 'begun'), SENT, 0)).toBe(done);
  });

  it('go to a pager that was added later only if they are about something open', () => {
    expect(nextPage(BEGUN_AND_OVER, 'pagerduty')).toBeUndefined();
    expect(nextPage(stored(page(1, 'begun')), 'pagerduty')?.number).toBe(1);
  });

  it('are kept for a day, and for a week if something was given up', () => {
    const [sent, dead] = [SENT, REFUSED].map((last) => attempt(attempt(BEGUN_AND_OVER, SENT), last));
    const finishedAfter = (episode: PagedEpisode | undefined, hours: number) =>
      episode !== undefined && isFinished(episode, ['webhook'], hours * HOUR_MS);
    expect([23, 24].map((hours) => finishedAfter(sent, hours))).toEqual([false, true]);
    expect([24, 7 * 24 - 1, 7 * 24].map((hours) => finishedAfter(dead, hours))).toEqual([false, false, true]);
    expect(finishedAfter(stored(page(1, 'begun')), 1_000)).toBe(false);
  });
});

describe('IDs', () => {
  it('are the same in every process, and have neither dots nor names in them', () => {
    const key = pageKeyOf('watch/C1/abc234', '1773154800000', 1);
    expect(key).toBe(pageKeyOf('watch/C1/abc234', '1773154800000', 1));
    expect(key).not.toBe(pageKeyOf('watch/C1/abc234', '1773154800000', 2));
    expect(pageIdOf({ key, number: 2 })).toMatch(/^wafbot-[0-9a-f]{32}-2$/);
  });

  it('are signed as in the example of the Standard Webhooks libraries', () => {
    const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(signedHeaders(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}')).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});
