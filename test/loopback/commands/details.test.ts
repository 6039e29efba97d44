/** Lines that only some services have data for: shown with the true numbers, or said to be missing, and at no other cost. */
import { afterEach, describe, expect, it } from 'vitest';
import { actionsOf, codesOf } from '../../../playground/service/details.ts';
import { SERVICE_KINDS } from '../../../playground/service/kinds.ts';
import { bucketsOf } from '../../../playground/service/statistics.ts';
import type { Reply } from '../../../src/replies/reply.ts';
import { formatCount, formatShare } from '../../../src/statistics/format.ts';
import { MINUTE_MS, NOW_MINUTE, openVerdictStage, text, type VerdictStage } from './verdict-stage.ts';

let open: VerdictStage;
afterEach(() => open.stage.close());

const DETAILS = ['action types', 'response codes', 'abnormal', 'events'] as const;
const SURGE = [{ kind: 'step', fromMinute: NOW_MINUTE - 31, minutes: 300, perMinute: 40 }] as const;

async function stage(kind: keyof typeof SERVICE_KINDS, waves: Parameters<typeof openVerdictStage>[1] = []) {
  open = await openVerdictStage(1, waves, SERVICE_KINDS[kind], { dialect: 'auto' });
}
const callsFor = (names: readonly (typeof DETAILS)[number][] = DETAILS): number =>
  names.reduce((sum, name) => sum + open.stage.service.calls(name).length, 0);
const answerOf = ({ headline, body = [] }: Reply): string => text([headline ?? [], ...body]);
const whyOf = ({ why }: Reply): string => text([...(why?.lines ?? []), ...(why?.more?.numbers.lines ?? [])]);

/** The last `minutes`, without the three that are still filling in. */
function settled(minutes: number) {
  const toMs = (NOW_MINUTE - 3) * MINUTE_MS;
  return { fromMs: (NOW_MINUTE - minutes) * MINUTE_MS, toMs, hosts: [] };
}

function trueShare(minutes: number): string {
  const { block, log } = actionsOf(open.world, settled(minutes), open.stage.clock.nowMs);
  return `${formatShare(block / (block + log))} blocked, ${formatShare(log / (block + log))} only logged.`;
}

describe('what was blocked', () => {
  it.each([
    ['attacks last 6h', 360],
    ['check last 1h', 60],
  ] as const)('is in the answer to %s', async (sentence, minutes) => {
    await stage('overviews');
    const reply = await open.ask(sentence);
    expect(answerOf(reply)).toContain(trueShare(minutes));
    const { block } = actionsOf(open.world, settled(minutes), open.stage.clock.nowMs);
    expect(whyOf(reply)).toContain(`Of the attacks ${formatCount(block)} were blocked`);
    await open.ask(`${sentence} why`);
    expect(callsFor()).toBe(1);
  });

  it('says during a surge that it is about the whole window, in at most three lines', async () => {
    await stage('overviews', SURGE);
    const reply = await open.ask('check last 1h');
    expect(reply.level).toBe('surge');
    expect(answerOf(reply)).toContain(`Over the full 57 minutes: ${trueShare(60)}`);
    expect((reply.body ?? []).length).toBeLessThanOrEqual(2);
  });

  it.each(['attacks last 6h', 'check last 1h'])('is not zero where it is unknown: %s', async (sentence) => {
    await stage('events');
    const reply = await open.ask(sentence);
    expect(answerOf(reply)).not.toContain('blocked');
    expect(whyOf(reply)).toContain("This service doesn't report what was blocked.");
    expect(callsFor()).toBe(0);
  });

  it.each(['attacks last 6h', 'check last 1h'])('costs no answer when the query fails: %s', async (sentence) => {
    await stage('overviews');
    const whole = await open.ask('attacks last 5h');
    expect(answerOf(whole)).toContain('% blocked');
    open.stage.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: DETAILS });
    const reply = await open.ask(sentence);
    expect(reply.failed).toBeUndefined();
    expect(answerOf(reply)).not.toContain('blocked');
    expect(whyOf(reply)).toContain("The service didn't answer for what was blocked.");
  });

  it('is not asked for one category, or for a file alone', async () => {
    await stage('overviews');
    expect(answerOf(await open.ask('attacks sqli last 6h'))).not.toContain('blocked');
    await open.ask('attacks last 6h csv only');
    expect(callsFor()).toBe(0);
  });
});

describe('how servers responded', () => {
  it('is one line of an incident', async () => {
    await stage('overviews');
    const sums: Record<string, number> = {};
    for (const { tally } of bucketsOf(open.world, settled(180), 0, open.stage.clock.nowMs)) {
      for (const [code, count] of Object.entries(codesOf(tally, open.world, 'UPSTREAM')))
        sums[code] = (sums[code] ?? 0) + count;
    }
    const { '500': internal = 0, '502': gateway = 0 } = sums;
    const all = Object.values(sums).reduce((sum, count) => sum + count, 0);
    const reply = await open.ask('incident last 3h');
    expect(answerOf(reply)).toContain(
      `Your servers answered ${formatShare((internal + gateway) / all)} with errors (500: ${formatCount(internal)}, most on /cart/checkout; 502: ${formatCount(gateway)}, most on /api/orders).`,
    );
    expect(whyOf(reply)).toContain(`Your servers sent ${formatCount(all)} responses (200: `);
    expect(callsFor()).toBe(3);
  });

  it('is left out where it is unknown', async () => {
    await stage('events');
    const reply = await open.ask('incident last 3h');
    expect(answerOf(reply)).not.toContain('servers');
    expect(whyOf(reply)).toContain("This service doesn't report how your servers responded.");
  });
});

it.each(['timeline last 6h', 'compare last 6h vs previous', 'who last 6h'])(
  'makes no call for details: %s',
  async (sentence) => {
    await stage('overviews');
    await open.ask(sentence);
    expect(open.stage.service.requests.length).toBeGreaterThan(0);
    expect(callsFor()).toBe(0);
  },
);

it('adds its calls to those of the answer, and changes none of them', async () => {
  const others: string[][] = [];
  for (const without of [[], DETAILS] as const) {
    open = await openVerdictStage(
      1,
      [],
      { habits: { speaks: ['overviews'], without: [...without] } },
      { dialect: 'overviews' },
    );
    for (const sentence of ['check last 1h', 'attacks last 6h', 'incident last 3h']) await open.ask(sentence);
    const calls = open.stage.service.requests.filter(({ call }) => !DETAILS.some((name) => name === call));
    others.push(calls.map(({ target }) => target).sort());
    if (without.length === 0) await open.stage.close();
  }
  expect(others[0]).toEqual(others[1]);
});
