/** How good the verdict is, beside the published rule, on windows whose truth is known. */

import { judge } from '../../src/insight/verdict/index.ts';
import { observeVerdict } from '../../src/subscriptions/watch/observation.ts';
import { answersFor } from '../evaluation/answers.ts';
import { type Alarm, evaluate, type Outcome, scoreOf } from '../evaluation/evaluate.ts';
import { labelledSet } from '../evaluation/labelled-set.ts';
import { publishedRule } from '../evaluation/published-rule.ts';
import { quietWeek } from '../evaluation/quiet-weeks.ts';
import { REPORTING_SEEDS, TUNING_SEEDS } from '../evaluation/seeds.ts';

const PER_SEED = 120;
const seeds = process.argv.includes('--tuning') ? TUNING_SEEDS : REPORTING_SEEDS;
const set = seeds.flatMap((seed) => labelledSet(seed, PER_SEED));

const judges: readonly (readonly [string, Alarm])[] = [
  ['our verdict', (input) => ['elevated', 'surge'].includes(judge(input).level)],
  ['our watch', (input) => ['elevated', 'surge'].includes(observeVerdict(judge(input), input.recent).level)],
  ['published, 200 in interval', (input) => publishedRule(input, 'interval')],
  ['published, 200 in window', (input) => publishedRule(input, 'window')],
];
const outcomes = evaluate(
  set,
  judges.map(([, alarm]) => alarm),
);

const waves = set.filter(({ wave }) => wave !== null);
console.log(
  `${set.length} windows from ${seeds.length} seeds, ${waves.length} with a wave, ${set.length - waves.length} without`,
);
console.log('\nrecall: of windows that hold a wave; caught: of waves, by a look every five minutes while they last');
console.log('A watch leaves out waves that are over when it looks, so only what it caught counts for it.');
console.log('\njudge                        precision  recall ≥2×  caught ≥2×  median delay  false alarms  missed');
judges.forEach(([name], at) => {
  const score = scoreOf(outcomes[at] ?? []);
  const delay = Number.isFinite(score.delay) ? score.delay.toFixed(1) : 'never';
  console.log(
    `${name.padEnd(28)} ${score.precision.toFixed(3).padStart(9)} ${score.recall.toFixed(3).padStart(11)} ${score.caught.toFixed(3).padStart(11)} ${delay.padStart(13)} ${String(score.falseAlarms).padStart(13)} ${String(score.missed).padStart(7)}`,
  );
});

function table(title: string, keyOf: (outcome: Outcome) => string, rows: (outcome: Outcome) => boolean): void {
  const groups = Map.groupBy((outcomes[0] ?? []).filter(rows), keyOf);
  console.log(`\n${title.padEnd(28)} windows  ours  watch  interval  window (alarms, in percent)`);
  for (const [key, ours] of [...groups].sort()) {
    const percent = (at: number): string => {
      const same = (outcomes[at] ?? []).filter((outcome) => rows(outcome) && keyOf(outcome) === key);
      return ((100 * same.filter(({ alarmed }) => alarmed).length) / same.length).toFixed(0);
    };
    console.log(
      `${key.padEnd(28)} ${String(ours.length).padStart(7)} ${percent(0).padStart(5)} ${percent(1).padStart(6)} ${percent(2).padStart(9)} ${percent(3).padStart(7)}`,
    );
  }
}

const isWave = ({ labelled }: Outcome): boolean => labelled.wave !== null;
table(
  'waves by kind (≥2×)',
  ({ labelled }) => labelled.kind,
  (outcome) => isWave(outcome) && outcome.labelled.size >= 2,
);
table('waves by size', ({ labelled }) => `${String(labelled.size).padStart(4)}×`, isWave);
table(
  'waves by site (≥2×)',
  ({ labelled }) => labelled.site.name,
  (outcome) => isWave(outcome) && outcome.labelled.size >= 2,
);
table(
  'calm by kind',
  ({ labelled }) => labelled.kind,
  (outcome) => !isWave(outcome),
);
table(
  'calm by site',
  ({ labelled }) => labelled.site.name,
  (outcome) => !isWave(outcome),
);

const found = (outcomes[0] ?? []).flatMap(({ labelled }) => {
  if (labelled.wave === null || labelled.size < 2) return [];
  const { onsetMs } = judge(answersFor(labelled).input(labelled.toMinute));
  return onsetMs === null ? [] : [{ kind: labelled.kind, off: Math.abs(onsetMs / 60_000 - labelled.wave.fromMinute) }];
});
console.log('\nonset found within            median  nine in ten (minutes)');
for (const [kind, list] of [...Map.groupBy(found, (each) => each.kind)].sort()) {
  const off = list.map((each) => each.off).sort((a, b) => a - b);
  const at = (part: number): string => String(off[Math.floor(part * (off.length - 1))] ?? '–');
  console.log(`${kind.padEnd(28)} ${at(0.5).padStart(7)} ${at(0.9).padStart(12)}`);
}

console.log('\na week without waves          messages of a watch  alarms of the published rule');
for (const site of ['project', 'shop', 'api ×8', 'blog ×10']) {
  const { ours, published } = quietWeek(seeds[0] ?? 0, site);
  console.log(`${site.padEnd(28)} ${String(ours).padStart(20)} ${String(published).padStart(29)}`);
}
