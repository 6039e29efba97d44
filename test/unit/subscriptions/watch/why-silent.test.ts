import { expect, test } from 'vitest';
import { INITIAL_STATE, type WatchRecord } from '../../../../src/subscriptions/watch/watch-state.ts';
import { type Silence, silenceLines } from '../../../../src/subscriptions/watch/why-silent.ts';

const NOW = Temporal.Instant.from('2026-11-17T09:41:00Z');
const at = (time: string): number => Date.parse(`2026-11-17T${time}Z`);
const calm: WatchRecord = { ...INITIAL_STATE, seen: 'calm', lookedMs: at('09:37:00') };
const hour = { untilMs: at('09:37:00'), attacks: 1_414, usual: { low: 1_209, high: 1_821 }, unjudged: null };

function said(changes: Partial<Silence>): string {
  const quiet: Silence = {
    record: calm,
    isThreshold: false,
    zone: 'Europe/Berlin',
    now: NOW,
    pause: null,
    hold: null,
    hour: null,
    ...changes,
  };
  return silenceLines(quiet)
    .flat()
    .map((piece) => (typeof piece === 'string' ? piece : 'user' in piece ? `@${piece.user}` : JSON.stringify(piece)))
    .join('');
}

const below = { strength: 1.7, sinceMs: at('09:20:00') };
const cases: readonly (readonly [string, Partial<Silence>, string])[] = [
  ['calm', { hour }, 'Nothing to report: 1,414 attacks in the hour until 10:37, usual 1,209–1,821.'],
  [
    'one attack',
    { hour: { ...hour, attacks: 1, usual: null } },
    'Nothing to report: 1 attack in the hour until 10:37.',
  ],
  ['no numbers at hand', {}, 'Nothing to report: as usual at its last check.'],
  [
    'a new site',
    { hour: { ...hour, usual: null, unjudged: 'There is next to nothing to compare with.' } },
    'Can’t judge yet: 1,414 attacks in the hour until 10:37. There is next to nothing to compare with.',
  ],
  [
    'throttled',
    { hour, pause: { why: 'throttled', untilMs: at('09:42:05') } },
    'No checks until 10:42:05: the statistics service asked for a pause.',
  ],
  [
    'an outage',
    { pause: { why: 'down', untilMs: at('09:41:10') } },
    'No checks until 10:41:10: the statistics service keeps failing.',
  ],
  ['no data', { record: { ...calm, seen: 'unknown' } }, 'Nothing to report: it got no data at its last check.'],
  [
    'quiet hours',
    { hour, hold: { why: 'quiet', fromMs: at('08:00:00'), untilMs: at('11:00:00') } },
    'Silent until 12:00: quiet hours, which only a surge breaks.',
  ],
  [
    'maintenance',
    { hold: { why: 'maintenance', fromMs: at('08:00:00'), untilMs: at('11:00:00') } },
    'Silent until 12:00: maintenance.',
  ],
  [
    'snoozed',
    { record: { ...calm, snoozed: { by: 'U1', untilMs: at('10:30:00') } } },
    'Silent until 11:30: snoozed by @U1.',
  ],
  [
    'a snooze that is over',
    { record: { ...calm, snoozed: { by: 'U1', untilMs: at('09:30:00') } }, hour },
    'Nothing to report: 1,414 attacks in the hour until 10:37, usual 1,209–1,821.',
  ],
  ['before the first check', { record: INITIAL_STATE }, 'It hasn’t checked yet.'],
  ['below its sensitivity, which another line says', { record: { ...calm, seen: 'between', below } }, ''],
  ['a limit', { isThreshold: true }, 'Nothing to report: below its limit at its last check.'],
  [
    'nearly a limit',
    { isThreshold: true, record: { ...calm, seen: 'between' } },
    'Nothing to report: just below its limit at its last check.',
  ],
];

test.each(cases)('%s', (_, changes, words) => {
  expect(said(changes)).toBe(words);
});
