/**
 * Stores the digests, or the watches: one record per channel with that channel's subscriptions. So listing a channel is one
 * read, its limit holds between replicas, and no change can bring back what another has removed. Beside them stands for
 * each owner in which channels to look, so that a person's own are found without reading everybody's.
 */
import { BotError } from '../errors.ts';
import type { Subscription, SubscriptionKind, SubscriptionState } from './subscription.ts';

/** The part of the store that subscriptions use. `update` is atomic, also between replicas. */
export interface Records {
  space<V>(name: string): { get(key: string): Promise<V | undefined> };
  update<V>(name: string, key: string, change: (current: V | undefined) => V | undefined): Promise<V | undefined>;
  list<V>(name: string): AsyncIterable<readonly [key: string, value: V]>;
}

const SUBSCRIPTIONS_PER_CHANNEL = 20;

const REPEATED_WITHIN_MS = 10 * 60_000;

export type NewSubscription<D> = Omit<Subscription<D>, 'id' | 'kind' | 'createdAt' | 'state'>;

interface SubscriptionRepositoryDeps<D> {
  readonly records: Records;
  readonly kind: SubscriptionKind;
  readonly now: () => Temporal.Instant;
  readonly newId?: () => string;
  /** Whether one that is there does what a new one would do: then no second one is made. */
  readonly isSame?: (existing: Subscription<D>, created: Subscription<D>) => boolean;
  /** Throws when a channel with these subscriptions is asked for too much by a new one. */
  readonly assertRoomFor?: (existing: readonly Subscription[], created: Subscription) => void;
}

export interface SubscriptionRepository<D> {
  /** Resolves to the one that is there already when the same person has just asked for the same, or `isSame`. */
  create(subscription: NewSubscription<D>): Promise<Subscription<D>>;
  get(channel: string, id: string): Promise<Subscription<D> | undefined>;
  listByChannel(channel: string): Promise<readonly Subscription<D>[]>;
  listByOwner(owner: string): Promise<readonly Subscription<D>[]>;
  all(): AsyncIterable<Subscription<D>>;
  /** Changes the state from what it is; handing back the same state changes nothing. Undefined when there is no such subscription. */
  setState(
    channel: string,
    id: string,
    change: (state: SubscriptionState) => SubscriptionState,
  ): Promise<Subscription<D> | undefined>;
  /** Undefined when there is no such subscription. */
  setDetails(channel: string, id: string, details: D): Promise<Subscription<D> | undefined>;
  /** Resolves to what was removed. */
  remove(channel: string, id: string): Promise<Subscription<D> | undefined>;
}

const SPACES = { digest: 'digests', watch: 'watches' } as const;
/** Channels by owner. One too many does no harm, since what is there is looked up in any case. */
const OWNER_SPACES = { digest: 'digest-owners', watch: 'watch-owners' } as const;

export function createSubscriptionRepository<D = unknown>({
  records,
  kind,
  now,
  newId = randomId,
  isSame = () => false,
  assertRoomFor = () => {},
}: SubscriptionRepositoryDeps<D>): SubscriptionRepository<D> {
  type Page = readonly Subscription<D>[];
  const space = SPACES[kind];
  const pages = records.space<Page>(space);
  const page = async (channel: string): Promise<Page> => (await pages.get(channel)) ?? [];

  const entered = records.space<readonly string[]>(OWNER_SPACES[kind]);
  /** The channels of each owner when everything was last read: those of the version before are in no index. */
  let seen: ReadonlyMap<string, ReadonlySet<string>> | null = null;

  type Owned = Pick<Subscription<D>, 'owner' | 'channel'>;

  const enter = ({ owner, channel }: Owned): Promise<unknown> =>
    records.update<readonly string[]>(OWNER_SPACES[kind], owner, (current = []) =>
      current.includes(channel) ? current : [...current, channel],
    );

  /** Where nothing of the owner is left in the channel. */
  async function leave({ owner, channel }: Owned): Promise<void> {
    const isThere = async () => (await page(channel)).some((subscription) => subscription.owner === owner);
    if (await isThere()) return;
    await records.update<readonly string[]>(OWNER_SPACES[kind], owner, (current = []) => {
      const others = current.filter((each) => each !== channel);
      return others.length === 0 ? undefined : others;
    });
    // Made meanwhile.
    if (await isThere()) await enter({ owner, channel });
  }

  async function* all(): AsyncGenerator<Subscription<D>> {
    const owners = new Map<string, Set<string>>();
    for await (const [, subscriptions] of records.list<Page>(space)) {
      for (const { owner, channel } of subscriptions) {
        owners.set(owner, (owners.get(owner) ?? new Set()).add(channel));
      }
      yield* subscriptions;
    }
    seen = owners;
  }

  return {
    async create(subscription) {
      const created: Subscription<D> = {
        ...subscription,
        id: newId(),
        kind,
        createdAt: now().toString(),
        state: { is: 'active' },
      };
      // Before the subscription, which could not be found without.
      await enter(subscription);
      let stored = created;
      await records.update<Page>(space, subscription.channel, (current) => {
        const subscriptions = current ?? [];
        const earlier = subscriptions.find((one) => isRepeated(one, created) || isSame(one, created));
        stored = earlier ?? created;
        if (earlier !== undefined) return current;
        if (subscriptions.length >= SUBSCRIPTIONS_PER_CHANNEL) throw channelFull(kind);
        assertRoomFor(subscriptions, created);
        return [...subscriptions, created];
      });
      return stored;
    },
    async get(channel, id) {
      return (await page(channel)).find((subscription) => subscription.id === id);
    },
    listByChannel: page,
    async listByOwner(owner) {
      if (seen === null) {
        const everything = await Array.fromAsync(all());
        return everything.filter((subscription) => subscription.owner === owner);
      }
      const channels = new Set([...(seen.get(owner) ?? []), ...((await entered.get(owner)) ?? [])]);
      const owned = await Promise.all([...channels].map(page));
      return owned.flat().filter((subscription) => subscription.owner === owner);
    },
    all,
    async setState(channel, id, change) {
      const subscriptions = await records.update<Page>(space, channel, (current) => {
        const subscription = current?.find((one) => one.id === id);
        if (!current || !subscription) return current;
        const state = change(subscription.state);
        return state === subscription.state ? current : current.map((one) => (one.id === id ? { ...one, state } : one));
      });
      return subscriptions?.find((subscription) => subscription.id === id);
    },
    async setDetails(channel, id, details) {
      const subscriptions = await records.update<Page>(space, channel, (current) =>
        current?.map((one) => (one.id === id ? { ...one, details } : one)),
      );
      return subscriptions?.find((subscription) => subscription.id === id);
    },
    async remove(channel, id) {
      let removed: Subscription<D> | undefined;
      await records.update<Page>(space, channel, (current) => {
        removed = current?.find((one) => one.id === id);
        if (!current || !removed) return current;
        return current.length === 1 ? undefined : current.filter((one) => one.id !== id);
      });
      // Whether or not that succeeds: the removal is done, and an entry too many does no harm.
      if (removed !== undefined) await leave(removed).catch(() => {});
      return removed;
    },
  };
}

/**
 * Somebody who was told of a failure asks again; but the failure may have been that of an answer that was lost, and then
 * the first request was done. Nobody wants the same thing twice within minutes.
 */
function isRepeated<D>(earlier: Subscription<D>, created: Subscription<D>): boolean {
  const ageMs = Date.parse(created.createdAt) - Date.parse(earlier.createdAt);
  const wishOf = ({ owner, timing, zone, project, hosts, details }: Subscription<D>) =>
    JSON.stringify([owner, timing, zone, project, hosts, details]);
  return earlier.state.is === 'active' && ageMs < REPEATED_WITHIN_MS && wishOf(earlier) === wishOf(created);
}

function channelFull(kind: SubscriptionKind): BotError {
  const plural = SPACES[kind];
  return new BotError('limit', `This channel already has ${SUBSCRIPTIONS_PER_CHANNEL} ${plural}, which is the limit.`, {
    hint: `Remove one first: \`${kind} list\` shows them.`,
    next: [{ label: 'List them', sentence: plural }],
  });
}

/** Six letters and digits that are hard to confuse: close to a billion ids, for a channel's twenty. */
function randomId(): string {
  const letters = '23456789abcdefghjkmnpqrstuvwxyz';
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]).join('');
}
