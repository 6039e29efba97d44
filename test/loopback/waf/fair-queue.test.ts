/** Whoever asks a lot waits for themselves, not the others for them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WafClient } from '../../../src/waf/index.ts';
import { eventually } from '../../support/clock.ts';
import { HOUR, openStage, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
let client: WafClient;
beforeEach(async () => {
  stage = await openStage();
  client = stage.client('token');
});
afterEach(() => stage.close());

/** Each about another hour, so that nothing is shared. */
function ask(asker: string | undefined, hoursAgo: number, signal?: AbortSignal) {
  const to = Temporal.Instant.fromEpochMilliseconds(START - hoursAgo * HOUR);
  const range = { from: to.subtract({ hours: 1 }), to };
  return client.distribution({ range, hosts: [], zone: 'UTC', ...(asker && { asker }), ...(signal && { signal }) });
}

const hours = (first: number, count: number): number[] => Array.from({ length: count }, (_, n) => first + n);
const arrived = (): number[] =>
  stage.service.calls('distribution').map(({ search }) => Math.floor((START - Number(search.get('to'))) / HOUR));
const inOrder = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

describe('many calls at once', () => {
  it('are made for one asker a few at a time, and for another one at once', async () => {
    const gate = stage.service.hold({ on: 'distribution' });
    const flood = Promise.all(hours(1, 40).map((hour) => ask('U1', hour)));
    await eventually(() => arrived().length === 8, 'the first calls');
    const other = ask('U2', 100);
    await eventually(() => arrived().includes(100), 'the call of another asker');
    expect(inOrder(arrived())).toEqual([...hours(1, 8), 100]);
    gate.release();
    await Promise.all([flood, other]);
    expect(arrived()).toHaveLength(41);
  });

  it('are made in turns when everybody has to wait', async () => {
    const gate = stage.service.hold({ on: 'distribution' });
    const flood = [
      ...hours(1, 30).map((hour) => ask('U1', hour)),
      ...hours(41, 30).map((hour) => ask(undefined, hour)),
    ];
    await eventually(() => arrived().length === 16, 'as many calls as there may be');
    const others = [ask('U2', 100), ask('U3', 200)];
    gate.release();
    await Promise.all([...flood, ...others]);
    // Each of those who waited has had a turn before anybody has a second one.
    const order = arrived();
    expect(Math.max(order.indexOf(100), order.indexOf(200))).toBeLessThan(16 + 8);
  });

  it('that nobody waits for any more are not made', async () => {
    const gate = stage.service.hold({ on: 'distribution' });
    const abort = new AbortController();
    const first = hours(1, 8).map((hour) => ask('U1', hour));
    const given = ask('U1', 50, abort.signal);
    const after = ask('U1', 60);
    await eventually(() => arrived().length === 8, 'the first calls');
    abort.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    gate.release();
    await Promise.all([...first, after]);
    expect(inOrder(arrived())).toEqual([...hours(1, 8), 60]);
  });
});
