/** A handover of a channel's watches: what is ongoing and who is on it, what is silenced, and what happened. */

import { overlaps } from '../../episodes/episode.ts';
import { isInForce } from '../../episodes/ignored.ts';
import type { Project } from '../../projects/project.ts';
import { acknowledgerWords } from '../../replies/episode-lines.ts';
import { counted, ignoredWords } from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { clockOf, untilWords } from '../../time/index.ts';
import type { SubscriptionService } from '../service.ts';
import { instantOf, titleOf } from './episode-words.ts';
import { episodeLine, heldNowWords } from './hold-words.ts';
import type { Watch, WatchDetails, WatchRunner } from './watch-runner.ts';
import { allEpisodesOf, courseOf, coursesOf, isOpen, type WatchedEpisode, type WatchRecord } from './watch-state.ts';

interface HandoverDeps {
  readonly service: SubscriptionService<WatchDetails>;
  readonly runner: Pick<WatchRunner, 'state'>;
  readonly now: () => Temporal.Instant;
}

export interface Handover {
  /** What is ongoing, and who is on it. */
  readonly open: readonly Line[];
  /** What is snoozed, held back or paused. */
  readonly silenced: readonly Line[];
  /** What is over by now, oldest first. */
  readonly over: readonly Line[];
}

/** When a channel was handed over last. */
export interface LastHandover {
  readonly atMs: number;
  /** The beginning of what it covered. */
  readonly beforeMs: number;
  /** Who asked for it, or set up the digest. */
  readonly by: string;
  readonly isDigest?: boolean | undefined;
}

interface HandoverScope {
  readonly sinceMs: number;
  /** Which handover that was, in words that follow its time. */
  readonly since: Line;
  readonly now: Temporal.Instant;
  readonly zone: string;
  /** Those that may be asked about in the channel. */
  readonly projects: readonly Pick<Project, 'ignored' | 'label'>[];
  readonly actions: readonly Action[];
}

/** Three lines if nothing happened. */
export async function handoverReply(
  { open, silenced: held, over }: Handover,
  { sinceMs, since: which, now, zone, projects, actions }: HandoverScope,
): Promise<Reply> {
  const silenced = [...held, ...(await ignoredLines(projects, now, zone))];
  const since = clockOf(zone, now)(sinceMs);
  return {
    title: `Handover: ${open.length === 0 ? 'nothing open' : `${open.length} open`}, ${over.length} over since ${since}`,
    headline: open.length === 0 ? ['Nothing is open.'] : [`${counted(open.length, 'episode')} open:`],
    body: [
      ...shown(open),
      ...(silenced.length === 0 ? [['Nothing is snoozed, held back or ignored.']] : shown(silenced)),
      over.length === 0
        ? [`Nothing has happened since ${since}`, ...which, '.']
        : [`${counted(over.length, 'episode')} over since ${since}`, ...which, ':'],
      ...shown(over),
    ],
    actions: [
      { label: 'Check now', sentence: 'check', effect: 'thread' },
      { label: 'List watches', sentence: 'watches', effect: 'thread' },
      ...actions,
    ],
  };
}

async function ignoredLines(
  projects: HandoverScope['projects'],
  now: Temporal.Instant,
  zone: string,
): Promise<readonly Line[]> {
  const each = projects.map(async ({ ignored, label }) =>
    (await ignored.list())
      .filter((rule) => isInForce(rule, now.epochMilliseconds))
      .map((rule): Line => {
        const what = `${ignoredWords(rule)}${label === null ? '' : ` in project ${label}`}`;
        return [`Ignored: ${what} until ${untilWords(rule.untilMs, zone)}.`];
      }),
  );
  return (await Promise.all(each)).flat();
}

const MAX_LINES = 8;

/** The newest lines, and how many earlier ones there are. */
function shown(lines: readonly Line[]): Line[] {
  const left = lines.length - MAX_LINES;
  return [...(left > 0 ? [[`${left} earlier ones.`]] : []), ...lines.slice(-MAX_LINES)];
}

export function createHandover({ service, runner, now }: HandoverDeps) {
  return async function handover(channel: string, sinceMs: number): Promise<Handover> {
    const watches = (await service.listChannel(channel)).map(({ subscription }) => subscription);
    const each = await Promise.all(
      watches.map(async (watch) => handoverOf(watch, await runner.state(watch), sinceMs, now())),
    );
    return {
      open: each.flatMap(({ open }) => open),
      silenced: each.flatMap(({ silenced }) => silenced),
      over: each.flatMap(({ over }) => over),
    };
  };
}

function handoverOf(watch: Watch, record: WatchRecord, sinceMs: number, now: Temporal.Instant): Handover {
  const { id, zone, details, hosts, state } = watch;
  const rule = details?.rule ?? { kind: 'verdict' };
  const resolved = { id, rule, sensitivity: details?.sensitivity ?? 'normal', hosts: [], zone } as const;
  const where = hosts.length === 0 ? '' : ` on ${hosts.join(', ')}`;
  const open = coursesOf(record)
    .map((course) => courseOf(record, course))
    .flatMap((course) => (isOpen(course) && course.episode !== null ? [course.episode] : []));
  const isOver = (episode: { readonly id: string }): boolean => !open.some((each) => each.id === episode.id);
  const toMs = now.epochMilliseconds;
  return {
    open: open.map((episode) => [
      { bold: titleOf(episode, 'new', resolved, now) },
      `${where}, `,
      ...ownerWords(episode),
    ]),
    silenced: [
      ...snoozedLine(record, zone, where),
      ...heldNowWords(record, zone).map((line): Line => [...line, `${where}.`]),
      ...(state.is === 'paused' ? [[`A watch${where} is paused.`]] : []),
    ],
    over: allEpisodesOf(record)
      .filter((episode) => isOver(episode) && overlaps(episode, sinceMs, toMs))
      .map((episode) => [
        ...episodeLine(episode, resolved, now),
        where,
        ...(episode.firstTs === null && episode.heldBack !== undefined
          ? [', held back.']
          : [', ', ...ownerWords(episode)]),
      ]),
  };
}

const ownerWords = ({ acknowledged }: Pick<WatchedEpisode, 'acknowledged'>): Line =>
  acknowledged === null
    ? ['nobody acknowledged it.']
    : ['acknowledged by ', ...acknowledgerWords(acknowledged, 'quietly'), '.'];

function snoozedLine({ snoozed }: WatchRecord, zone: string, where: string): Line[] {
  if (snoozed === null) return [];
  const { by, untilMs } = snoozed;
  return [[`Snoozed${where} by `, { user: by, quietly: true }, ' until ', { instant: instantOf(untilMs), zone }, '.']];
}
