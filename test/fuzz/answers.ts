/** Almost valid responses of the service, read by the real client: each is shown or refused. */
import { Keyv } from 'keyv';
import { createWafClient, type WafClient } from '../../src/waf/index.ts';
import { longestTurnMs } from '../support/loop-meter.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { answerOrRefusal, openCommandsStage, SILENT } from './commands-stage.ts';
import { type LyingService, startLyingService } from './lying-service.ts';
import { createReport, type FuzzReport, LONGEST_STRETCH_MS, MAX_ROUNDS } from './report.ts';

const START = '2026-03-10T14:30:00Z';
/** A new client now and then: what it has learned of the service, such as how long to leave it alone, must not count. */
const PER_CLIENT = 200;
const MIN_QUESTIONS = 30;
const VERBS = ['timeline', 'attacks', 'compare', 'check', 'incident'];
const LENGTHS = ['15 minutes', '3 hours', '24 hours', '7 days', '40 days'];

export async function fuzzAnswers(count: number, seed: number, random: SeededRandom): Promise<FuzzReport> {
  const { report, ...note } = createReport('answers of the service');
  const service = await startLyingService(seed);
  let client = openClient(service);
  const stage = await openCommandsStage(
    { timeline: (query) => client.timeline(query), distribution: (query) => client.distribution(query) },
    START,
  );
  async function renewClient(): Promise<void> {
    await client.close();
    client = openClient(service);
  }
  // A single question may use up many responses.
  let asked = 0;
  for (let n = 0; service.answers() < count || asked < MIN_QUESTIONS; n += 1) {
    // Another window each time, so that nothing is answered from the cache.
    const end = Temporal.Instant.from(START).subtract({ minutes: n % 400_000 });
    const text = `${random.pick(VERBS)} ${random.pick(LENGTHS)} before ${end}`;
    let outcome = '';
    const ask = async (): Promise<void> => {
      const answer = await answerOrRefusal(stage.commands, { user: `U${n}`, channel: 'C1', userZone: null, text });
      const { fault } = answer;
      outcome = answer.outcome;
      asked += 1;
      if (fault !== null) note.fault(fault, text);
      note.count(outcome);
    };
    let ms = await longestTurnMs(ask);
    if (ms > LONGEST_STRETCH_MS) {
      // It may have been the compiler, or the collection of garbage: again, by a client that has no answer yet.
      const again = async () => {
        await renewClient();
        return longestTurnMs(ask);
      };
      for (let round = 0; round < MAX_ROUNDS && ms > LONGEST_STRETCH_MS; round += 1) ms = Math.min(ms, await again());
    }
    note.took(ms, text);
    if (n % PER_CLIENT === 0 || outcome === 'upstream_rate_limited') await renewClient();
  }
  await client.close();
  await stage.close();
  await service.close();
  if (report.longest.ms > LONGEST_STRETCH_MS) note.fault('held the event loop for too long', report.longest.input);
  return report;
}

function openClient(service: LyingService): WafClient {
  return createWafClient({
    baseUrl: service.url,
    projectId: '3ac26c59e15a4a11bb680a103a29ddb6',
    auth: { kind: 'aksk', accessKey: 'AKFUZZ0123456789ABCD', secretKey: 'SKfuzz0123456789abcdefghij' },
    tokens: new Keyv(),
    answers: new Keyv(),
    now: () => Temporal.Instant.from(START).epochMilliseconds,
    sleep: async () => {},
    // Most answers are bad here, and each must be read.
    breakAfterFailures: Number.MAX_SAFE_INTEGER,
    log: SILENT,
  });
}
