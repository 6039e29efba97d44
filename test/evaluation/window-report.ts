/** The part of the report on single windows. Those of one site aren't independent, so sites are drawn for the intervals. */
import { CALIBRATION } from '../../src/episodes/verdict/calibration.ts';
import { calibrationRows } from './calibration.ts';
import { shareIn } from './intervals.ts';
import { KINDS } from './kinds-report.ts';
import { table } from './tables.ts';
import {
  isCalled,
  isDetectable,
  isDrop,
  isDropNamed,
  isLevelRight,
  isNormal,
  shareOf,
  sitesOf,
  type WindowOutcome,
  type WindowSite,
} from './window-outcomes.ts';

export function windowsReport(outcomes: readonly WindowOutcome[]): string[] {
  const sites = sitesOf(outcomes);
  return [
    namedTable(sites),
    normalTable(sites),
    table(['a verdict', 'says that it is wrong', 'was wrong'], calibrationRows(outcomes, CALIBRATION)),
  ];
}

function namedTable(sites: readonly WindowSite[]): string {
  const rows = KINDS.map(([name, kinds]) => {
    const ofKind = (some: readonly WindowSite[]): WindowOutcome[] =>
      some.flat().filter((each) => isDetectable(each) && kinds.includes(each.truth.event ?? ''));
    const levels = (some: readonly WindowSite[]) => ofKind(some).flatMap((each) => isLevelRight(each) ?? []);
    const isNamed = (each: WindowOutcome): boolean => (isDrop(each) ? isDropNamed(each) : isCalled(each));
    return [
      name,
      String(ofKind(sites).length),
      shareIn(sites, (some) => shareOf(ofKind(some), isNamed)),
      shareIn(sites, (some) => shareOf(levels(some), (right) => right)),
    ];
  });
  return table(['', 'windows', 'named', 'level right'], rows);
}

function normalTable(sites: readonly WindowSite[]): string {
  const row = (name: string, isMeant: (outcome: WindowOutcome) => boolean): string[] => {
    const normal = (some: readonly WindowSite[]) => some.flat().filter((each) => isNormal(each) && isMeant(each));
    const called = shareIn(sites, (some) => shareOf(normal(some), isCalled), 1);
    return [name, String(normal(sites).length), called];
  };
  const all = sites.flat();
  const generators = [...new Set(all.map(({ generator }) => generator))].sort();
  const circumstances = [...new Set(all.map(({ circumstance }) => circumstance))].sort();
  return table(
    ['normal windows', '', 'called'],
    [
      row('all', () => true),
      ...generators.map((name) => row(`the ${name} generator`, ({ generator }) => generator === name)),
      ...circumstances.map((name) => row(`… ${name}`, ({ circumstance }) => circumstance === name)),
    ],
  );
}
