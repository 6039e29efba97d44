/** Finds the people and user groups that a sentence names, by ID as in a message, or by name as in a slash command. */
import { distance } from 'fastest-levenshtein';
import type { FoundMentioned } from '../commands/context.ts';
import { BotError } from '../errors.ts';
import type { Mentioned } from '../replies/reply.ts';
import { type SlackClients, slackFailure } from './transport/web-api.ts';

/** With every name that people may type for it, the usual one first. */
interface Listed {
  readonly who: Mentioned;
  readonly names: readonly string[];
}

type Groups = { readonly listed: readonly Listed[]; readonly withheld?: 'missing_scope' | 'free_plan' };

const USER_ID = /^[UW][A-Z0-9]{5,}$/;

export async function findMentioned(clients: SlackClients, name: string): Promise<FoundMentioned> {
  try {
    if (USER_ID.test(name)) {
      const person = await personById(clients, name);
      if (person !== null) return person;
    }
    const groups = await listGroups(clients);
    const group = groups.listed.find(
      ({ who, names }) => ('group' in who && who.group === name) || isNamed(names, name),
    );
    if (group !== undefined) return group.who;
    const people = await listPeople(clients);
    // A handle is unique; two people can have the same display name.
    const handled = people.find(({ who }) => isNamed([who.name], name));
    const [person, ...others] = people.filter(({ names }) => isNamed(names, name));
    if (handled !== undefined) return handled.who;
    if (person !== undefined && others.length === 0) return person.who;
    const known = person === undefined ? [...groups.listed, ...people] : [person, ...others];
    return { nearest: nearestNames(name, known), groups: groups.withheld ?? 'listed' };
  } catch (error) {
    throw slackFailure(error) === null ? error : noAnswer(name, error);
  }
}

const isNamed = (names: readonly string[], name: string): boolean =>
  names.some((each) => each.toLowerCase() === name.toLowerCase());

async function personById(clients: SlackClients, id: string): Promise<Mentioned | null> {
  try {
    const { user } = await clients.read.users.info({ user: id });
    return user === undefined ? null : (asPerson(user)?.who ?? null);
  } catch (error) {
    if (slackFailure(error)?.kind === 'refused') return null;
    throw error;
  }
}

interface SlackUser {
  readonly id?: string;
  readonly name?: string;
  readonly real_name?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly profile?: { readonly display_name?: string; readonly real_name?: string };
}

/** `null` for users that a mention can't notify. */
function asPerson({ id, name, real_name, deleted, is_bot, profile = {} }: SlackUser): Listed | null {
  if (id === undefined || name === undefined || deleted === true || is_bot === true || id === 'USLACKBOT') return null;
  const names = [name, profile.display_name, real_name, profile.real_name].filter((each) => each !== undefined);
  return { who: { user: id, name }, names };
}

/** Slack's reasons for a workspace whose plan has no user groups. */
const FREE_PLAN = new Set(['plan_upgrade_required', 'paid_teams_only']);

async function listGroups(clients: SlackClients): Promise<Groups> {
  try {
    const { usergroups = [] } = await clients.read.usergroups.list();
    const listed = usergroups.flatMap(({ id, handle, name = '' }): Listed[] =>
      id === undefined || handle === undefined ? [] : [{ who: { group: id, name: handle }, names: [handle, name] }],
    );
    return { listed };
  } catch (error) {
    const failure = slackFailure(error);
    const reason = failure?.kind === 'refused' ? failure.reason : '';
    if (reason === 'missing_scope') return { listed: [], withheld: 'missing_scope' };
    if (FREE_PLAN.has(reason)) return { listed: [], withheld: 'free_plan' };
    throw error;
  }
}

/** As many as Slack recommends, and no more pages than it allows in a minute. */
const PAGE_SIZE = 200;
const MAX_PAGES = 15;

async function listPeople(clients: SlackClients): Promise<readonly Listed[]> {
  const people: Listed[] = [];
  let cursor = '';
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== ''); page++) {
    const { members = [], response_metadata } = await clients.read.users.list({ limit: PAGE_SIZE, cursor });
    people.push(...members.flatMap((member) => asPerson(member) ?? []));
    cursor = response_metadata?.next_cursor ?? '';
  }
  return people;
}

const MAX_NEAREST = 3;

/** Names that are a typo away, contain what was typed, or are contained in it. */
function nearestNames(name: string, known: readonly Listed[]): string[] {
  const typed = name.toLowerCase();
  const edits = ({ who, names }: Listed) => {
    const least = Math.min(...names.map((each) => distance(typed, each.toLowerCase())));
    const isPart = names.some((each) => each.toLowerCase().includes(typed) || typed.includes(each.toLowerCase()));
    return { name: who.name, edits: isPart ? Math.min(least, 1) : least };
  };
  return known
    .map(edits)
    .filter((each) => each.edits <= Math.max(1, Math.floor(typed.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, MAX_NEAREST)
    .map((each) => each.name);
}

function noAnswer(name: string, cause: unknown): BotError {
  return new BotError('limit', `Slack didn’t say who “${name}” is, so nothing was changed.`, {
    hint: 'Try again in a minute.',
    cause,
  });
}
