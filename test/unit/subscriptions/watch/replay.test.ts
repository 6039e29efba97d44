import { describe, expect, it } from 'vitest';
import { recordedStatistics } from '../../../../src/episodes/recorded-statistics.ts';
import { recordsBetween, replayRecords } from '../../../../src/subscriptions/watch/replay.ts';
import { callingStrength } from '../../../../src/subscriptions/watch/sensitivity.ts';
import { previewReply } from '../../../../src/subscriptions/watch/watch-words.ts';
import { episodeLog, episodeRecord } from '../../../support/episodes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const START_MS = Temporal.Instant.from('2026-03-02T00:00Z').epochMilliseconds;
const from = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds;

/** Ten days of fifty attacks in five minutes, more or less, and what a test adds to them. */
function numbers(more: (startMs: number) => number) {
  const intervalMs = 5 * MINUTE_MS;
  const attacks = Array.from({ length: (10 * DAY_MS) / intervalMs }, (_, at) => {
    return 50 + ((at * 7919) % 13) - 6 + more(START_MS + at * intervalMs);
  });
  const requests = attacks.map((count) => 5_000 + count);
  return { startMs: START_MS, intervalMs, requests, attacks, categories: { sqli: attacks } };
}

const TIMES = { fromMs: from('2026-03-11T06:00Z'), toMs: from('2026-03-11T18:00Z') };

async function replayed(more: (startMs: number) => number) {
  const now = Temporal.Instant.fromEpochMilliseconds(TIMES.toMs);
  const log = episodeLog(recordedStatistics(numbers(more))(TIMES.toMs), () => now, 'Europe/Berlin');
  const { records } = await recordsBetween(log, { ...TIMES, hosts: [] });
  return (await replayRecords(records, callingStrength(), TIMES)).messages;
}

describe('a replay', () => {
  it('of a calm day says nothing', async () => {
    expect(await replayed(() => 0)).toEqual([]);
  });

  it('says when the channel would have been called, and when it would have been over', async () => {
    const [waveMs, endMs] = [from('2026-03-11T10:00Z'), from('2026-03-11T10:40Z')];
    const messages = await replayed((ms) => (ms >= waveMs && ms < endMs ? 300 : 0));
    expect(messages.map(({ kind, level }) => `${kind} ${level}`)).toEqual(['new surge', 'over surge']);
    expect(messages.map(({ onsetMs }) => onsetMs)).toEqual([waveMs, waveMs]);
    const [first, last] = messages;
    expect(first?.atMs).toBeGreaterThan(waveMs);
    expect(first?.atMs).toBeLessThanOrEqual(waveMs + 15 * MINUTE_MS);
    expect(last?.atMs).toBeGreaterThan(endMs);
  });

  it('of an attack in pulses has the two alerts of a running watch, and a preview lists each pulse', async () => {
    const pulses = Array.from({ length: 12 }, (_, at) => {
      const onsetMs = from('2026-03-11T08:00Z') + at * 30 * MINUTE_MS;
      return episodeRecord({ onsetMs, endMs: onsetMs + 5 * MINUTE_MS });
    });
    const watch = await replayRecords(pulses, callingStrength(), TIMES);
    expect(watch.messages.map(({ kind }) => kind)).toEqual(['new', 'over', 'new', 'over']);
    const preview = { ...TIMES, known: 1, watches: new Map([['normal', watch]] as const) };
    const asked = {
      id: null,
      what: 'anything',
      sensitivity: 'normal',
      isThreshold: false,
      hosts: [],
      zone: 'UTC',
    } as const;
    const reply = previewReply(preview, asked, Temporal.Instant.fromEpochMilliseconds(TIMES.toMs));
    expect(reply.title).toContain('would have alerted twice');
    expect(reply.body).toEqual([['Last alert: 08:40, surge 08:30 – 08:35.']]);
    expect(reply.table?.rows.map(([alerted, , began]) => `${alerted} ${began}`).slice(0, 2)).toEqual([
      'only edited 13:30',
      'only edited 13:00',
    ]);
  });

  it('of visitors who are gone has a level of its own, whatever goes on beside it', async () => {
    const during = (clock: string) => from(`2026-03-11T${clock}Z`);
    const rise = episodeRecord({ onsetMs: during('10:00'), endMs: during('14:00') });
    const [onsetMs, endMs] = [during('11:00'), during('11:30')];
    const steps = [{ atMs: during('11:10'), strength: 9, level: 'elevated' }] as const;
    const gone = episodeRecord({ id: 'requests-1', drop: 'requests', worst: 'elevated', onsetMs, endMs, steps });
    const { messages } = await replayRecords([rise, gone], callingStrength(), TIMES);
    const said = messages.map(({ kind, level, drop = 'attacks_high' }) => `${kind} ${drop} ${level}`);
    expect(said.filter((each) => each.includes('gone'))).toEqual([
      'new visitors_gone elevated',
      'over visitors_gone elevated',
    ]);
  });

  it('knows at each look only what was logged by then', async () => {
    const at = recordedStatistics(numbers(() => 0));
    const now = Temporal.Instant.from('2026-03-11T10:02Z');
    const range = { from: now.subtract({ hours: 1 }), to: now.add({ hours: 1 }) };
    const query = { range, hosts: [], zone: 'UTC' };
    const { points, settledUntilMs } = await at(now.epochMilliseconds).timeline(query);
    expect(points.at(-1)?.endMs).toBe(from('2026-03-11T10:00Z'));
    expect(settledUntilMs).toBe(from('2026-03-11T09:59Z'));
    const { counts } = await at(now.epochMilliseconds).distribution(query);
    expect(counts).toEqual([{ category: 'sqli', count: points.reduce((sum, { attacks }) => sum + (attacks ?? 0), 0) }]);
  });
});
