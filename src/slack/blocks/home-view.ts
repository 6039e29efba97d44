/** The Home tab as Block Kit. */

import type { HomeView, KnownBlock } from '@slack/types';
import { thingsToAsk } from '../../commands/things-to-ask.ts';
import { findingLine } from '../../commands/verbs/doctor.ts';
import { COMMANDS } from '../../commands/verbs/index.ts';
import { type EpisodeRecord, natureOf } from '../../episodes/episode.ts';
import { leadOf } from '../../episodes/episode-log.ts';
import type { DropKind, Level, Verdict } from '../../episodes/verdict/index.ts';
import { alsoWord, countedWords, levelOf, whatWords } from '../../replies/episode-account.ts';
import { dropWords } from '../../replies/episode-lines.ts';
import type { Finding } from '../../replies/finding.ts';
import { sayIn } from '../../replies/follow-ups.ts';
import { counted } from '../../replies/phrases.ts';
import type { Action, Line } from '../../replies/reply.ts';
import { calmName } from '../../replies/verdict-finding.ts';
import { LEVEL_NAMES, lasting } from '../../replies/verdict-lines.ts';
import { capitalized, formatCount } from '../../statistics/format.ts';
import { rebucket, summarise, type Timeline } from '../../statistics/timeline.ts';
import type { HomeEntry } from '../../subscriptions/subscription-lines.ts';
import { HOUR_MS } from '../../time-units.ts';
import { LIMITS } from './limits.ts';
import { ANY_CHANNEL, clip, homeButtons, homeQuestions, LEVEL_MARKS, renderLine } from './message.ts';

/** Whether there is an attack, as far as is known. */
export type Situation =
  | { readonly is: 'pending' }
  /** The project in the worst state, and the others. */
  | (ProjectSituation & { readonly others: readonly ProjectSituation[] });

/** `project` is `null` if there is only one. */
export type ProjectSituation = { readonly project: string | null } & (
  | {
      readonly is: 'known';
      readonly verdict: Verdict;
      /** The leading one first. */
      readonly episodes: readonly EpisodeRecord[];
      readonly day: Timeline | null;
    }
  | {
      readonly is: 'unknown';
      readonly why: string;
      readonly last: { readonly atMs: number; readonly level: Level } | null;
      readonly faults: readonly Finding[];
    }
);

export interface HomeContent {
  /** `null` if the person may not ask. */
  readonly situation: Situation | null;
  /** `null` if they can't be read. */
  readonly entries: readonly HomeEntry[] | null;
  /** The channels the bot answers in, if the person may only ask there. */
  readonly answersIn: readonly string[] | null;
}

/** A view has at most a hundred blocks; an entry takes two of them. */
const MAX_ENTRIES = 30;
const ACTION_IDS_PER_ENTRY = 10;
const NEW_ACTION_IDS = 1_000;
const NEW_ONES: readonly Action[] = [
  { label: 'New digest', sentence: 'digest new', effect: 'modal' },
  { label: 'New watch', sentence: 'watch new', effect: 'modal' },
];
const MAX_FAULTS = 10;
const MAX_CHANNELS = 20;

export function homeView({ situation, entries, answersIn }: HomeContent, command: string): HomeView {
  return {
    type: 'home',
    blocks: [
      ...(situation === null ? [] : situationBlocks(situation)),
      header('Your digests and watches'),
      // Whoever may only ask in some channels creates them there.
      ...(answersIn === null ? homeButtons(NEW_ONES, ANY_CHANNEL, NEW_ACTION_IDS) : []),
      ...(entries === null ? [section(['Can’t load them right now.'])] : entryList(entries, command)),
      ...(answersIn === null ? questionBlocks(command) : channelBlocks(answersIn)),
    ],
  };
}

function situationBlocks(situation: Situation): KnownBlock[] {
  const project = situation.is === 'pending' ? null : situation.project;
  const where = project === null ? '' : ` · project ${project}`;
  const asked = (answer: string, level: keyof typeof LEVEL_MARKS): KnownBlock =>
    header(`${LEVEL_MARKS[level]} Are we under attack? ${answer}${where}`);
  const buttons = homeQuestions(project === null ? SITUATION_BUTTONS : SITUATION_BUTTONS.map(askedIn(project)), 0);
  const divider: KnownBlock = { type: 'divider' };
  if (situation.is === 'pending') return [asked('Checking …', 'not_enough_data'), ...buttons, divider];
  const more = [...othersBlocks(situation.others), ...buttons, divider];
  if (situation.is === 'unknown') {
    const { why, last, faults } = situation;
    const lines: Line[] = [[why], ...(last === null ? [] : [lastLine(last)])];
    const states = faults.slice(0, MAX_FAULTS).map((finding) => section(findingLine(finding)));
    return [asked('Unknown', 'not_enough_data'), section(joined(lines)), ...states, ...more];
  }
  const { verdict, episodes, day } = situation;
  const lead = leadOf(episodes);
  const others = episodes.filter((episode) => episode !== lead);
  const lines = [...(lead === undefined ? [verdictLine(verdict)] : leadLines(lead)), ...others.map(alsoLine)];
  const level = lead === undefined ? verdict.level : levelOf(lead);
  return [asked(answerOf(situation), level), section(joined(lines)), ...dayBlocks(day), ...more];
}

function verdictLine(verdict: Verdict): Line {
  const { totals, expected, unjudged, fromMs, toMs } = verdict;
  if (expected === null) return [{ bold: LEVEL_NAMES.not_enough_data }, `. ${unjudged ?? ''}`];
  const attacks = { bold: counted(totals.attacks, 'attack') };
  return [
    { bold: calmName(verdict) },
    ': ',
    attacks,
    ` in ${lasting(toMs - fromMs)}, about ${formatCount(expected)} expected.`,
  ];
}

/** What it is, and when it began and ended in each reader's own time. */
function leadLines(lead: EpisodeRecord): Line[] {
  const { onsetMs, endMs, worst, figures } = lead;
  const nature = natureOf(lead);
  const what = capitalized(whatWords(lead));
  const name = lead.drop === undefined ? LEVEL_NAMES[worst] : what;
  const counts = countedWords(lead, `in ${lasting((endMs ?? figures.untilMs) - onsetMs)}`);
  const course: Line = endMs === null ? [', ', { bold: 'still ongoing' }] : [', ended ', at(endMs)];
  return [
    [{ bold: name }, ': ', ...counts, '.'],
    ['Began ', at(onsetMs), ...course, nature === 'rise' ? `. ${what}.` : '.'],
  ];
}

/** `Also 02:37 – 03:03: 4.8× usual, led by SQL injection.` */
function alsoLine(episode: EpisodeRecord): Line {
  const { onsetMs, endMs } = episode;
  const when: Line = endMs === null ? ['since ', at(onsetMs)] : [at(onsetMs), ' – ', at(endMs)];
  return [`${alsoWord(episode)} `, ...when, `: ${whatWords(episode)}.`];
}

const at = (ms: number) => ({ instant: Temporal.Instant.fromEpochMilliseconds(ms), zone: 'UTC' });

const SITUATION_BUTTONS: readonly Action[] = [
  { label: 'Show me', sentence: 'check', effect: 'ask', style: 'primary' },
  { label: 'Last 24 hours', sentence: 'timeline last 24h', effect: 'ask' },
  { label: 'By category', sentence: 'attacks last 24h', effect: 'ask' },
];

const askedIn =
  (project: string) =>
  (action: Action): Action => ({ ...action, sentence: sayIn(action.sentence, project, COMMANDS) });

/** `us: calm · asia: unknown` */
function othersBlocks(others: readonly ProjectSituation[]): KnownBlock[] {
  if (others.length === 0) return [];
  const words = others.map((other) => `${other.project}: ${stateOf(other).toLowerCase()}`);
  return [{ type: 'context', elements: [mrkdwn([`Other projects: ${words.join(' · ')}`])] }];
}

function stateOf(other: ProjectSituation): string {
  if (other.is === 'unknown') return 'unknown';
  const lead = leadOf(other.episodes);
  if (lead === undefined)
    return other.verdict.level === 'calm' ? calmName(other.verdict) : LEVEL_NAMES[other.verdict.level];
  const name = lead.drop === undefined ? LEVEL_NAMES[lead.worst] : dropWords(lead.drop, lead.figures).name;
  return lead.endMs === null ? name : `${name}, over`;
}

const STOPPED: Readonly<Record<DropKind, string>> = { attacks: 'attacks have stopped', requests: 'visitors are gone' };

function answerOf({ verdict, episodes }: Extract<ProjectSituation, { is: 'known' }>): string {
  const lead = leadOf(episodes);
  if (lead === undefined) return verdict.level === 'not_enough_data' ? 'Unknown' : 'No';
  if (lead.drop !== undefined) {
    if (lead.endMs !== null) return 'No';
    return `No, but ${STOPPED[lead.drop]}`;
  }
  if (lead.endMs !== null) return 'Not anymore';
  return lead.worst === 'surge' ? 'Yes' : 'Maybe';
}

function lastLine({ atMs, level }: { readonly atMs: number; readonly level: Level }): Line {
  const instant = Temporal.Instant.fromEpochMilliseconds(atMs);
  return ['Last known: ', { instant, zone: 'UTC' }, `, ${LEVEL_NAMES[level].toLowerCase()}.`];
}

/**
 * The day as a row of bars in text: a picture in the Home tab needs a public address or a file shared with each reader, and
 * Slack's own chart block only works in messages.
 */
function dayBlocks(day: Timeline | null): KnownBlock[] {
  const { attacks, attackPeak } =
    day === null ? { attacks: null, attackPeak: null } : summarise(rebucket(day, HOUR_MS));
  if (day === null || attacks === null) return [];
  const from = (endMs: number) => ({ instant: Temporal.Instant.fromEpochMilliseconds(endMs - HOUR_MS), zone: 'UTC' });
  const most: Line =
    attackPeak === null
      ? []
      : [', peak in the hour from ', from(attackPeak.point.endMs), ` (${formatCount(attackPeak.value)})`];
  const total = { bold: counted(attacks, 'attack') };
  const bars = hourBars(day);
  const caption: Line = [
    `Attacks per hour over the last 24 hours${bars.includes(FILLING) ? ` (${FILLING} still filling in)` : ''}: `,
    total,
    ...most,
    '.',
  ];
  return [section([{ code: bars }]), { type: 'context', elements: [mrkdwn(caption)] }];
}

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const UNKNOWN = '·';
const FILLING = '░';

/** One character per hour, scaled to the largest. */
export function hourBars(day: Timeline): string {
  const { points, settledUntilMs, fromMs, toMs } = rebucket(day, HOUR_MS);
  const byEnd = new Map(points.map(({ endMs, attacks }) => [endMs, attacks]));
  const most = Math.max(1, ...points.map(({ attacks }) => attacks ?? 0));
  return Array.from({ length: Math.round((toMs - fromMs) / HOUR_MS) }, (_, hour) => {
    const endMs = fromMs + (hour + 1) * HOUR_MS;
    const attacks = byEnd.get(endMs) ?? null;
    // An hour that is already the largest can only grow, and it's the one that people open the tab for.
    if (endMs > settledUntilMs && (attacks ?? 0) < most) return FILLING;
    return attacks === null ? UNKNOWN : BARS[Math.round((attacks / most) * (BARS.length - 1))];
  }).join('');
}

/** Buttons for questions that change nothing; answers arrive as direct messages. */
function questionBlocks(command: string): KnownBlock[] {
  // The first group is what the tab opens with.
  const [, ...groups] = thingsToAsk(COMMANDS);
  const blocks = groups.flatMap(({ group, questions, changes }, at): KnownBlock[] => [
    section([{ bold: group }, ...(changes.length === 0 ? [] : [' In a channel: ', ...codes(changes, command)])]),
    ...(questions.length === 0 ? [] : homeQuestions(questions.map(asAction), (at + 1) * ACTION_IDS_PER_ENTRY)),
  ]);
  const where: Line = [
    'Answers arrive as direct messages. In a channel, type ',
    { code: `${command} ${COMMANDS.impliedBy('range').examples[0]}` },
  ];
  return [{ type: 'divider' }, header('Things to ask'), ...blocks, { type: 'context', elements: [mrkdwn(where)] }];
}

const asAction = (sentence: string): Action => ({ label: sentence, sentence, effect: 'ask' });

const codes = (examples: readonly string[], command: string): Line =>
  examples.flatMap((example, at): Line => [at === 0 ? '' : ', ', { code: `${command} ${example}` }]);

function channelBlocks(channels: readonly string[]): KnownBlock[] {
  const names = channels.filter((id) => !id.startsWith('D')).slice(0, MAX_CHANNELS);
  const list = names.flatMap((channel, at): Line => [at === 0 ? '' : ', ', { channel }]);
  return [{ type: 'divider' }, header('Where I answer'), section(['Ask me in ', ...list, '.'])];
}

const header = (text: string): KnownBlock => ({
  type: 'header',
  text: { type: 'plain_text', text: clip(text, LIMITS.header) },
});

const mrkdwn = (line: Line) => ({ type: 'mrkdwn' as const, text: renderLine(line, LIMITS.section), verbatim: true });
const section = (line: Line): KnownBlock => ({ type: 'section', text: mrkdwn(line) });
const joined = (lines: readonly Line[]): Line => lines.flatMap((line, at): Line => (at === 0 ? line : ['\n', ...line]));

function entryList(entries: readonly HomeEntry[], command: string): KnownBlock[] {
  if (entries.length === 0) {
    const [digest, watch] = [{ code: `${command} digest daily at 09:00` }, { code: `${command} watch` }];
    return [section(['Nothing yet. Create one here, or type ', digest, ' or ', watch, ' in a channel.'])];
  }
  const more = entries.length - MAX_ENTRIES;
  return [
    ...entries.slice(0, MAX_ENTRIES).flatMap(entryBlocks),
    ...(more > 0 ? [section([`${more} more not shown.`])] : []),
  ];
}

function entryBlocks({ lines, actions, channel }: HomeEntry, index: number): KnownBlock[] {
  return [section(joined(lines)), ...homeButtons(actions, channel, index * ACTION_IDS_PER_ENTRY)];
}
