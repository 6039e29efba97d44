/** The drawer's clock: what each move will do, its progress, and its result. */
import type { Panel, Pressed } from '../page/index.ts';
import type { StatisticsService } from '../service/server.ts';
import type { LocalSlack } from '../slack/index.ts';
import { isObject } from '../slack/json.ts';
import type { WorkspaceClock } from '../workspace-clock.ts';
import { createOutlook, describeOutlook, describeResult, type Outlook, type Upcoming } from './outlook.ts';

export interface MovesDeps {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  readonly clock: WorkspaceClock;
  /** When digests and watches are due. */
  readonly upcoming: (untilMs: number) => Promise<readonly Upcoming[]>;
  readonly changed: () => void;
}

const MINUTE_MS = 60_000;
/** While it's quiet, a watch may check less often. */
const STRIDE_MS = 15 * MINUTE_MS;
/** Messages about an attack continue for a while after its end. */
const AFTERMATH_MS = 2 * 60 * MINUTE_MS;
/** How long a digest that is due may take. */
const DIGEST_GRACE_MS = 10 * MINUTE_MS;

const LENGTHS: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  'five-minutes': { label: '+5 min', ms: 5 * MINUTE_MS },
  hour: { label: '+1 h', ms: 60 * MINUTE_MS },
  'quarter-hour': { label: '+15 min', ms: 15 * MINUTE_MS },
};
const SHOWN = ['five-minutes', 'hour'];

export function createMoves({ slack, service, clock, upcoming, changed }: MovesDeps) {
  const outlook = createOutlook({ nowMs: clock.nowMs, upcoming });
  let expected: Outlook | undefined;
  const countPosts = (kind: 'digest' | 'watch'): number => postsOf(slack, kind);

  /** When the last attack and what follows from it are over. */
  const quietFromMs = (): number =>
    Math.max(0, ...service.waves().map(({ fromMinute, minutes }) => (fromMinute + minutes) * MINUTE_MS + AFTERMATH_MS));
  const toDigest = (digestMs: number): Outlook =>
    outlook.until(digestMs, { strideMs: STRIDE_MS, quietFromMs: quietFromMs() });

  async function move(plan: Outlook, work: () => Promise<unknown>): Promise<Pressed> {
    if (clock.moving()) return { error: 'The clock is already moving.' };
    const before = { alerts: countPosts('watch'), digests: countPosts('digest') };
    const startedMs = performance.now();
    expected = plan;
    const moved = work();
    changed();
    await moved;
    expected = undefined;
    outlook.learn(plan.checks + plan.digests, performance.now() - startedMs);
    await outlook.refresh();
    changed();
    const alerts = countPosts('watch') - before.alerts;
    const digests = countPosts('digest') - before.digests;
    return { notice: describeResult({ checks: plan.checks, alerts, digests }) };
  }

  async function toNextDigest(): Promise<Pressed> {
    await outlook.refresh();
    const digestMs = outlook.nextDigestMs();
    if (digestMs === undefined) return { notice: 'No digest is due within a day.' };
    const before = countPosts('digest');
    const hasCome = () => countPosts('digest') > before;
    const isQuiet = () => clock.nowMs() >= quietFromMs();
    return move(toDigest(digestMs), () =>
      Promise.all([
        clock.travel({ toMs: digestMs, strideMs: STRIDE_MS, isQuiet, until: hasCome }),
        clock.forward(DIGEST_GRACE_MS, hasCome),
      ]),
    );
  }

  return {
    refresh: outlook.refresh,
    /** `undefined` if the button isn't one of these. */
    async press(button: string): Promise<Pressed | undefined> {
      if (button === 'digest') return toNextDigest();
      const length = LENGTHS[button];
      if (length === undefined) return undefined;
      await outlook.refresh();
      return move(outlook.until(clock.nowMs() + length.ms), () => clock.forward(length.ms));
    },
    panel: (): Panel => {
      const digestMs = outlook.nextDigestMs();
      const journey = clock.journey();
      const text = expected === undefined ? '' : describeOutlook(expected);
      return clockPanel({
        lengths: SHOWN.flatMap((id) => {
          const length = LENGTHS[id];
          return length === undefined
            ? []
            : [{ id, label: length.label, will: outlook.until(clock.nowMs() + length.ms) }];
        }),
        digest: digestMs === undefined ? undefined : { atMs: digestMs, will: toDigest(digestMs) },
        isMoving: clock.moving(),
        progress: journey && { ...journey, nowMs: clock.nowMs(), text },
      });
    },
  };
}

interface ShownMoves {
  readonly lengths: readonly { readonly id: string; readonly label: string; readonly will: Outlook }[];
  /** `undefined` if none is due within a day. */
  readonly digest: { readonly atMs: number; readonly will: Outlook } | undefined;
  readonly isMoving: boolean;
  readonly progress: Panel['progress'];
}

function clockPanel({ lengths, digest, isMoving, progress }: ShownMoves): Panel {
  return {
    id: 'clock',
    title: 'Fast-forward',
    hint: 'Everything due on the way happens at its time: watches check, digests get posted.',
    fields: [],
    buttons: [
      ...lengths.map(({ id, label, will }) => ({
        id,
        label,
        note: { text: describeOutlook(will) },
        disabled: isMoving,
      })),
      {
        id: 'digest',
        label: 'To the next digest',
        note:
          digest === undefined
            ? { text: 'none is due within a day' }
            : { text: describeOutlook(digest.will), atMs: digest.atMs },
        disabled: isMoving || digest === undefined,
      },
    ],
    status: '',
    progress,
  };
}

/** The bot stores in each message what it was posted for. */
const postsOf = (slack: LocalSlack, kind: 'digest' | 'watch'): number =>
  slack
    .channels()
    .flatMap(({ id }) => slack.messages(id))
    .filter(({ metadata, threadTs }) => {
      const payload = metadata?.event_payload;
      return threadTs === undefined && isObject(payload) && String(payload.id ?? '').startsWith(`${kind}/`);
    }).length;
