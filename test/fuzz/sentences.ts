/** Sentences of every kind, each answered or refused, none of them slowly. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import { parseIncomingText } from '../../src/slack/blocks/message.ts';
import type { Statistics, StatisticsQuery } from '../../src/statistics/statistics.ts';
import { leastTurnMs, spentMicros } from '../support/loop-meter.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { answerOrRefusal, openCommandsStage } from './commands-stage.ts';
import { drawRecipe, hostileText } from './hostile-text.ts';
import { createReport, type FuzzReport, LONGEST_STRETCH_MS, MAX_ROUNDS } from './report.ts';

const START = '2026-03-10T14:30:00Z';
/** A new stage now and then, so that what was made by sentences does not pile up. */
const PER_STAGE = 5_000;
const BOT = 'U0WAFBOT01';

export async function fuzzSentences(count: number, random: SeededRandom): Promise<FuzzReport> {
  const { report, ...note } = createReport('sentences');
  while (report.inputs < count) {
    const stage = await openCommandsStage(
      plainStatistics(() => stage.clock.now().epochMilliseconds),
      START,
    );
    const until = Math.min(count, report.inputs + PER_STAGE);
    while (report.inputs < until) {
      const typed = drawSentence(random);
      // Everybody asks once, since nobody may ask this much.
      const question = { user: `U${report.inputs}`, channel: `C${random.below(50)}`, userZone: drawZone(random) };
      const ask = () => answerOrRefusal(stage.commands, { ...question, text: parseIncomingText(typed, BOT) });
      const before = spentMicros();
      const { outcome, fault } = await ask();
      const ms = await confirmedMs((spentMicros() - before) / 1000, ask);
      note.took(ms, typed);
      if (ms > LONGEST_STRETCH_MS) note.fault(`held the event loop for ${ms.toFixed(1)} ms`, typed);
      if (fault !== null) note.fault(fault, typed);
      note.count(outcome);
      if (report.inputs % 50 === 0) await nextTurn();
    }
    await stage.close();
  }
  return report;
}

/**
 * What took long is asked again, by the turn of the event loop: some work is done in slices, and it may have been the
 * compiler, or the collection of garbage.
 */
const confirmedMs = async (ms: number, again: () => Promise<unknown>): Promise<number> =>
  ms <= LONGEST_STRETCH_MS ? ms : leastTurnMs(again, { goodMs: LONGEST_STRETCH_MS, rounds: MAX_ROUNDS });

const drawZone = (random: SeededRandom): string | null =>
  random.pick([null, 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']);

const EXAMPLES = COMMANDS.all.flatMap(({ examples, usage }) => [...examples, ...examples, ...usage]);
const VOCABULARY = [
  ...new Set(
    [...EXAMPLES, ...COMMANDS.all.flatMap(({ verb, aliases }) => [verb, ...aliases])].flatMap((text) =>
      text.split(' '),
    ),
  ),
  ...'last past this next today yesterday tomorrow now ago since until from to between and before after around'.split(
    ' ',
  ),
  ...'1 2 3 7 12 24 31 60 90 99 2025 2026 0 00 1st 2nd 31st 24h 15m 1h30m 2d 1w P1D PT2H now-1d/d now/w'.split(' '),
  ...'14:00 09:30 9am 5pm noon midnight 24:00 25:61 14:00-16:00 2026-03-10 10.3.2026 3/10/26 jan feb may march'.split(
    ' ',
  ),
  ...'monday fri weekend week month quarter year day hour minute seconds half first second couple few the of at'.split(
    ' ',
  ),
  ...'in on for utc cet europe/berlin america/new_york new york +02:00 vs previous with csv only privately as'.split(
    ' ',
  ),
  ...'host-1 host-2 shop "my blog" , . - – / : ; ( ) " \' “ ” < > & | * ~ ` @ # $ % 😀 é ß İ ١٢ 三'.split(' '),
  ...'over above more than per within every attacks sqli xss requests robot 500 1,200 2k 1.5k 1e9 -5 ack snooze'.split(
    ' ',
  ),
  ...'toString __proto__ constructor null undefined NaN {{x}} <script> <!channel> <@U0WAFBOT01> &lt; &amp;'.split(' '),
  ...['3ac26c59e15a4a11bb680a103a29d001', 'x'.repeat(70), '\u00a0', '\u200b', '\n', '\t', '\u0000', '\ud83d'],
];
const JOINTS = [' ', ' ', ' ', ' ', '  ', '', ', ', '-', '\u00a0', '\n'];

/** A soup of known words, an example with slips, a text made to be slow, or any characters at all. */
function drawSentence(random: SeededRandom): string {
  const kind = random.below(20);
  if (kind === 0) return hostileText(drawRecipe(random));
  if (kind === 1) return drawCharacters(random);
  if (kind < 9) return withSlips(random.pick(EXAMPLES), random);
  const verb = random.below(3) > 0 ? `${random.pick(COMMANDS.all).verb} ` : '';
  const words = Array.from({ length: random.below(random.below(20) === 0 ? 120 : 12) }, () => random.pick(VOCABULARY));
  return verb + words.map((word) => word + random.pick(JOINTS)).join('');
}

function withSlips(sentence: string, random: SeededRandom): string {
  let text = sentence;
  for (let slips = random.below(5) - 1; slips > 0; slips -= 1) {
    const at = random.below(text.length + 1);
    const length = random.below(4);
    const added = random.pick([
      '',
      '',
      ' ',
      random.pick(VOCABULARY),
      ` ${random.pick(VOCABULARY)} `,
      text.slice(at, at + 3),
    ]);
    text = text.slice(0, at) + added + text.slice(at + length);
  }
  return text;
}

function drawCharacters(random: SeededRandom): string {
  const limit = random.pick([0x80, 0x250, 0x3000, 0x10_000, 0x11_0000]);
  return Array.from({ length: random.below(200) }, () => String.fromCodePoint(random.below(limit))).join('');
}

/** Small answers at once, so that the time is spent on what is asked. */
function plainStatistics(nowMs: () => number): Statistics {
  const POINTS = 24;
  const common = ({ range }: StatisticsQuery) => {
    const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
    return { fromMs, toMs, settledUntilMs: nowMs() - 300_000, asOfMs: nowMs(), stale: false };
  };
  return {
    async timeline(query) {
      const { fromMs, toMs, ...rest } = common(query);
      const intervalMs = Math.max(60_000, Math.ceil((toMs - fromMs) / POINTS / 60_000) * 60_000);
      const count = Math.max(0, Math.floor((toMs - fromMs) / intervalMs));
      const points = Array.from({ length: count }, (_, n) => {
        const endMs = fromMs + (n + 1) * intervalMs;
        return { endMs, requests: 1_000 + (endMs % 97), attacks: endMs % 31 };
      });
      return { fromMs, toMs, ...rest, intervalMs, points };
    },
    distribution: async (query) => ({
      ...common(query),
      counts: [
        { category: 'sqli', count: 12 },
        { category: 'xss', count: 3 },
      ],
    }),
  };
}
