/**
 * Stores the digests or the watches: one record per channel with that channel's subscriptions. Listing a channel is one
 * read, its limit holds across replicas, and no change can bring back what another removed. An index by owner finds a
 * person's subscriptions without reading everybody's.
 */
import { z } from 'zod';
import { BotError } from '../errors.ts';
import { createValidRecords, storedInstant, undefinedIfDamaged } from '../store/create-store.ts';
import type { Records } from '../store/store.ts';
import { MINUTE_MS } from '../time-units.ts';
import type { Subscription, SubscriptionKind, SubscriptionState } from './subscription.ts';

const MAX_PER_CHANNEL = 20;

const REPEATED_WITHIN_MS = 10 * MINUTE_MS;

/** What an edit can change. */
export type SubscriptionChange<D> = Partial<Pick<Subscription<D>, 'timing' | 'zone' | 'hosts' | 'details'>>;

export type NewSubscription<D> = Omit<Subscription<D>, 'id' | 'kind' | 'createdAt' | 'state'>;

interface SubscriptionRepositoryDeps<D> {
  readonly records: Records;
  readonly kind: SubscriptionKind;
  readonly now: () => Temporal.Instant;
  /** Whether an existing subscription does what the new one would: then no second one is created. */
  readonly isSame?: (existing: Subscription<D>, created: Subscription<D>) => boolean;
  /** Throws if the new subscription would exceed a limit of the channel. */
  readonly assertRoomFor?: (existing: readonly Subscription[], created: Subscription) => void;
}

const names = z.array(z.string());

/** What every subscription has; timings and details are checked where they're used. */
const subscriptionSchema = z.object({
  id: z.string(),
  kind: z.string(),
  channel: z.string(),
  owner: z.string(),
  zone: z.string(),
  project: z.string().optional(),
  hosts: names,
  sentence: z.string().optional(),
  createdAt: storedInstant,
  state: z.discriminatedUnion('is', [
    z.object({ is: z.literal('active') }),
    z.object({ is: z.literal('paused'), at: z.string(), by: z.string(), reason: z.string().optional() }),
  ]),
});

const SPACES = { digest: 'digests', watch: 'watches' } as const;
const OWNER_SPACES = { digest: 'digest-owners', watch: 'watch-owners' } as const;

export type SubscriptionRepository<D> = ReturnType<typeof createSubscriptionRepository<D>>;

export function createSubscriptionRepository<D = unknown>(deps: SubscriptionRepositoryDeps<D>) {
  const { records, kind, now, isSame = () => false, assertRoomFor = () => {} } = deps;
  const { channels, listByChannel, isValid, validIn } = createChannelRecords<D>(records, kind);
  const owners = createOwnerIndex({ records, space: OWNER_SPACES[kind], listByChannel });

  async function* all(): AsyncGenerator<Subscription<D>> {
    const read: Subscription<D>[] = [];
    for await (const [channel, entries] of channels.list()) {
      const subscriptions = validIn(channel, entries);
      read.push(...subscriptions);
      yield* subscriptions;
    }
    owners.setSeen(read);
  }

  /** Undefined if there's no such subscription. */
  async function change(channel: string, id: string, next: (subscription: Subscription<D>) => Subscription<D>) {
    const isIt = (each: Subscription<D>) => isValid(channel, each) && each.id === id;
    const subscriptions = await channels.update(channel, (current) => {
      const before = current?.find(isIt);
      if (!current || !before) return current;
      const after = next(before);
      return after === before ? current : current.map((each) => (each === before ? after : each));
    });
    return subscriptions?.find(isIt);
  }

  const edit = createEdit(deps, { channels, isValid, validIn });

  return {
    /** Resolves to the existing one if the same person just requested the same thing, or if `isSame`. */
    async create(subscription: NewSubscription<D>): Promise<Subscription<D>> {
      const createdAt = now().toString();
      const created: Subscription<D> = { ...subscription, id: randomId(), kind, createdAt, state: { is: 'active' } };
      // Indexed first: a subscription missing from the index could not be found.
      await owners.add(subscription);
      const { channel } = subscription;
      const isEarlier = (each: Subscription<D>) =>
        isValid(channel, each) && (isRepeated(each, created) || isSame(each, created));
      const stored = await channels.update(channel, (current = []) => {
        if (current.some(isEarlier)) return current;
        if (current.length >= MAX_PER_CHANNEL) throw channelFull(kind);
        assertRoomFor(validIn(channel, current), created);
        return [...current, created];
      });
      return stored?.find(isEarlier) ?? created;
    },
    get: async (channel: string, id: string) => (await listByChannel(channel)).find((each) => each.id === id),
    listByChannel,
    async listByOwner(owner: string): Promise<Subscription<D>[]> {
      const owned = (await owners.list(owner)) ?? (await Array.fromAsync(all()));
      return owned.filter((subscription) => subscription.owner === owner);
    },
    all,
    /** Known without the store. */
    owners: owners.known,
    /** Returning the same state changes nothing. */
    setState: (channel: string, id: string, next: (state: SubscriptionState) => SubscriptionState) =>
      change(channel, id, (subscription) => {
        const state = next(subscription.state);
        return state === subscription.state ? subscription : { ...subscription, state };
      }),
    edit,
    changeDetails: (channel: string, id: string, next: (details: D | undefined) => D) =>
      change(channel, id, (subscription) => ({ ...subscription, details: next(subscription.details) })),
    /** Resolves to what was removed. */
    async remove(channel: string, id: string): Promise<Subscription<D> | undefined> {
      let removed: Subscription<D> | undefined;
      await channels.update(channel, (current) => {
        removed = current?.find((each) => isValid(channel, each) && each.id === id);
        if (!current || !removed) return current;
        return current.length === 1 ? undefined : current.filter((each) => each !== removed);
      });
      // The removal counts even if this fails: a leftover index entry does no harm.
      if (removed !== undefined) await owners.remove(removed).catch(() => {});
      return removed;
    },
  };
}

/**
 * Changes one in place. A new ID makes it a different one for any work in progress, so old results can't be mistaken
 * for new ones. Refuses what the channel already has, and what exceeds a limit.
 */
function createEdit<D>(
  { kind, isSame = () => false, assertRoomFor = () => {} }: SubscriptionRepositoryDeps<D>,
  { channels, isValid, validIn }: Pick<ChannelRecords<D>, 'channels' | 'isValid' | 'validIn'>,
) {
  return async (channel: string, id: string, edit: SubscriptionChange<D>, ids: 'same' | 'new') => {
    let edited: Subscription<D> | undefined;
    await channels.update(channel, (current = []) => {
      const before = current.find((each) => isValid(channel, each) && each.id === id);
      if (before === undefined) return current;
      const after: Subscription<D> = { ...before, ...edit, id: ids === 'new' ? randomId() : id };
      edited = after;
      const others = validIn(channel, current).filter((each) => each !== before);
      if (others.some((each) => isSame(each, after))) throw alreadyThere(kind);
      assertRoomFor(others, after);
      return current.map((each) => (each === before ? after : each));
    });
    return edited;
  };
}

type ChannelRecords<D> = ReturnType<typeof createChannelRecords<D>>;

/** One record per channel. It may include damaged entries, which are skipped and stay where they are. */
function createChannelRecords<D>(records: Records, kind: SubscriptionKind) {
  const space = SPACES[kind];
  const channels = createValidRecords<readonly Subscription<D>[]>(records, space, z.array(z.unknown()));

  const isValid = (channel: string, entry: Subscription<D>): boolean =>
    subscriptionSchema.safeParse(entry).success && entry.kind === kind && entry.channel === channel;

  function validIn(channel: string, entries: readonly Subscription<D>[]): readonly Subscription<D>[] {
    const valid = entries.filter((entry) => isValid(channel, entry));
    records.damaged.note(space, channel, valid.length < entries.length);
    return valid;
  }

  async function listByChannel(channel: string): Promise<readonly Subscription<D>[]> {
    const entries = await channels.get(channel).catch(undefinedIfDamaged);
    return entries === undefined ? [] : validIn(channel, entries);
  }

  return { channels, listByChannel, isValid, validIn };
}

type Owned = Pick<Subscription, 'owner' | 'channel'>;

interface OwnerIndexOptions<D> {
  readonly records: Records;
  readonly space: string;
  readonly listByChannel: (channel: string) => Promise<readonly Subscription<D>[]>;
}

/** The channels of each owner. An entry too many does no harm, since each channel is read anyway. */
function createOwnerIndex<D>({ records, space, listByChannel }: OwnerIndexOptions<D>) {
  const stored = createValidRecords<readonly string[]>(records, space, names);
  /** From the last full read: subscriptions of the previous version are in no index. */
  let seen: Map<string, Set<string>> | null = null;

  function add({ owner, channel }: Owned): Promise<unknown> {
    seen?.set(owner, new Set([...(seen.get(owner) ?? []), channel]));
    return stored
      .update(owner, (current = []) => (current.includes(channel) ? current : [...current, channel]))
      .catch(undefinedIfDamaged);
  }

  return {
    add,
    known: (): readonly string[] => [...(seen?.keys() ?? [])],
    /** Removes the channel unless the owner has other subscriptions there. */
    async remove({ owner, channel }: Owned): Promise<void> {
      const hasOthers = async () => (await listByChannel(channel)).some((subscription) => subscription.owner === owner);
      if (await hasOthers()) return;
      await stored.update(owner, (current = []) => {
        const others = current.filter((each) => each !== channel);
        return others.length === 0 ? undefined : others;
      });
      // One may have been created in between.
      if (await hasOthers()) await add({ owner, channel });
    },
    setSeen(subscriptions: readonly Owned[]): void {
      const byOwner = Map.groupBy(subscriptions, ({ owner }) => owner);
      seen = new Map([...byOwner].map(([owner, own]) => [owner, new Set(own.map(({ channel }) => channel))]));
    },
    /** Everything in the owner's channels; `null` before the first full read, or if the entry is damaged. */
    async list(owner: string): Promise<Subscription<D>[] | null> {
      if (seen === null) return null;
      const indexed = await stored.get(owner).catch((error: unknown) => undefinedIfDamaged(error) ?? null);
      if (indexed === null) return null;
      const channels = new Set([...(seen.get(owner) ?? []), ...(indexed ?? [])]);
      return (await Promise.all([...channels].map(listByChannel))).flat();
    },
  };
}

/**
 * After a failure people try again, but the first request may have succeeded and only its answer was lost. Nobody wants
 * the same thing twice within minutes.
 */
function isRepeated<D>(earlier: Subscription<D>, created: Subscription<D>): boolean {
  const ageMs = Date.parse(created.createdAt) - Date.parse(earlier.createdAt);
  const requestOf = ({ owner, timing, zone, project, hosts, details }: Subscription<D>) =>
    JSON.stringify([owner, timing, zone, project, hosts, details]);
  return earlier.state.is === 'active' && ageMs < REPEATED_WITHIN_MS && requestOf(earlier) === requestOf(created);
}

function channelFull(kind: SubscriptionKind): BotError {
  const plural = SPACES[kind];
  return new BotError('limit', `This channel already has ${MAX_PER_CHANNEL} ${plural}, the maximum.`, {
    hint: `Remove one first: \`${kind} list\` shows them.`,
    next: [{ label: 'List them', sentence: plural }],
  });
}

function alreadyThere(kind: SubscriptionKind): BotError {
  return new BotError('limit', `This channel already has another ${kind} for that.`, {
    hint: `Remove one of them instead: \`${SPACES[kind]}\` lists them.`,
    next: [{ label: 'List them', sentence: SPACES[kind] }],
  });
}

/** Six letters and digits that are hard to confuse: close to a billion IDs, for twenty per channel. */
function randomId(): string {
  const letters = '23456789abcdefghjkmnpqrstuvwxyz';
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => letters[byte % letters.length]).join('');
}
