/** What whoever takes over has to know of a channel's watches: what goes on, whose it is, what is silenced, and what happened. */
import { overlaps } from '../../episodes/episode.ts';
import type { Line } from '../../replies/reply.ts';
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
  /** What goes on, and whose it is. */
  readonly open: readonly Line[];
  /** What is snoozed, held back or paused. */
  readonly silenced: readonly Line[];
  /** What is over by now, oldest first. */
  readonly over: readonly Line[];
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
  acknowledged === null ? ['nobody acknowledged it.'] : ['acknowledged by ', { user: acknowledged.by }, '.'];

function snoozedLine({ snoozed }: WatchRecord, zone: string, where: string): Line[] {
  if (snoozed === null) return [];
  const { by, untilMs } = snoozed;
  return [[`Snoozed${where} by `, { user: by }, ' until ', { instant: instantOf(untilMs), zone }, '.']];
}
