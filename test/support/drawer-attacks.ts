/** How long a watch takes to alert to an attack from the playground's drawer: on the playground's traffic, without the bot. */
import { lastNight, wavesBefore } from '../../playground/history.ts';
import { DEFAULT_HOSTS } from '../../playground/service/hosts.ts';
import { columnsOf, type TrafficModel, tallyBetween } from '../../playground/service/traffic.ts';
import { ATTACK_KINDS, type Strength, waveOf } from '../../playground/try-it/attacks.ts';
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { type RecordedNumbers, recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { recordsBetween, replayRecords } from '../../src/subscriptions/watch/replay.ts';
import { callingStrength } from '../../src/subscriptions/watch/sensitivity.ts';
import { DEFAULT_EVERY_MS } from '../../src/subscriptions/watch/watch-rule.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS_BEFORE = 35;
const DAY_MINUTES = 1_440;
/** What is said of an attack is said within this time after its end. */
const AFTERWARDS_MS = HOUR_MS;

export interface TriedAttack {
  readonly kind: string;
  readonly strength: Strength;
  /** A host's name. */
  readonly host: string;
  readonly seed: number;
  readonly startMs: number;
}

const ZONE = 'Europe/Berlin';

/** Everything the drawer can start; what stops is the same at any strength. */
export const CHOICES: readonly Pick<TriedAttack, 'kind' | 'strength'>[] = ATTACK_KINDS.flatMap(
  ({ id, perMinute: { mild, strong } }) =>
    mild === strong
      ? [{ kind: id, strength: 'strong' as const }]
      : [
          { kind: id, strength: 'strong' as const },
          { kind: id, strength: 'mild' as const },
        ],
);

/** Minutes from the start until a watch set to normal alerts; `null` if it doesn't. */
export async function alertDelay({ kind: id, strength, host, seed, startMs }: TriedAttack): Promise<number | null> {
  const kind = ATTACK_KINDS.find((each) => each.id === id);
  const hostId = DEFAULT_HOSTS.find(({ name }) => name === host)?.id;
  if (kind === undefined || hostId === undefined) throw new Error(`unknown attack: ${id} on ${host}`);
  const fromMinute = Math.floor(startMs / MINUTE_MS);
  const wave = waveOf(kind, hostId, strength, fromMinute);
  const usual = wavesBefore(lastNight(startMs, ZONE));
  const common = { seed, hosts: DEFAULT_HOSTS, seededWaves: false };
  const toMs = startMs + wave.minutes * MINUTE_MS + AFTERWARDS_MS;
  const numbers = recorded({ ...common, waves: [...usual, wave] }, startMs, toMs);
  const log = createEpisodeLog({
    statistics: recordedStatistics(numbers)(toMs),
    blocks: null,
    nowMs: () => toMs,
    zone: ZONE,
  });
  const fromMs = (Math.floor(startMs / DEFAULT_EVERY_MS) - 12) * DEFAULT_EVERY_MS;
  const { records } = await recordsBetween(log, { fromMs, toMs, hosts: [] });
  const { messages } = await replayRecords(records, callingStrength('normal'), { fromMs, toMs });
  const first = messages.find(({ kind: what, atMs }) => what !== 'over' && atMs > startMs);
  return first === undefined ? null : (first.atMs - startMs) / MINUTE_MS;
}

function recorded(model: TrafficModel, startMs: number, toMs: number): RecordedNumbers {
  const first = Math.floor(startMs / MINUTE_MS) - DAYS_BEFORE * DAY_MINUTES;
  const [, ...names] = columnsOf(model);
  const requests: number[] = [];
  const attacks: number[] = [];
  const columns = names.map((): number[] => []);
  for (let minute = first; minute * MINUTE_MS < toMs; minute++) {
    const [all = 0, ...counts] = tallyBetween(model, minute, minute + 1);
    requests.push(all);
    attacks.push(counts.reduce((sum, count) => sum + count, 0));
    counts.forEach((count, at) => void columns[at]?.push(count));
  }
  const categories = Object.fromEntries(names.map((name, at) => [name, columns[at] ?? []]));
  return { startMs: first * MINUTE_MS, intervalMs: MINUTE_MS, requests, attacks, categories };
}
