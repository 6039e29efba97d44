/** `wafbot understand < sentences.jsonl`: how sentences are read, by the code that reads questions. */
import { parseArgs } from 'node:util';
import { readQuestion } from '../commands/index.ts';
import { BotError, UsageError } from '../errors.ts';
import { distinctNames, type Host } from '../grammar/hosts.ts';
import type { Sentence } from '../grammar/sentence.ts';
import { type Range, resolveZone } from '../time/index.ts';
import { isRecord } from '../untrusted-input.ts';
import { answerLines } from './answer-lines.ts';

const HELP = `Shows how sentences are read: JSON lines in, JSON lines out.

  wafbot understand < sentences.jsonl

A line in:
  id         any text, returned with the answer
  text       the sentence, as after /waf
  now        the time of the question, such as 2026-10-14T13:20:00Z
  zone       the asker's time zone, such as Europe/Berlin
  hosts      [{name, id}]; a name with a dot is listed by the service, where a unique prefix
             is enough, any other was added by people
  before     the last question of the thread, if there was one, asked at the same time

A line out, for a question:
  id, verb, range ({from, to} as typed, or null), hosts [name], category, zone (of the answer),
  versus ({from, to}, "previous", {hosts}, {project} or null), project, top, csv, privately, why;
  which-host is reported as check
For other verbs:
  id, verb, hosts
If it's refused:
  id, refused (why), suggestion (a sentence that would be understood, or null)
An invalid line gets {id, error}, and the exit code is 1.`;

export async function understandLines(args: readonly string[]): Promise<void> {
  if (isHelp(args)) {
    console.log(HELP);
    return;
  }
  await answerLines((value) => understandLine(readSentenceLine(value)), {
    verb: 'read',
    tooLong: 'A sentence has at most 2,000 characters.',
  });
}

function isHelp(args: readonly string[]): boolean {
  try {
    return parseArgs({ args: [...args], options: { help: { type: 'boolean' } } }).values.help === true;
  } catch {
    throw new UsageError('Unknown arguments. The only option is --help.');
  }
}

interface SentenceLine {
  readonly id: unknown;
  readonly text: string;
  readonly now: Temporal.Instant;
  readonly zone: string;
  readonly hosts: readonly Host[];
  readonly before: string | null;
}

export function readSentenceLine(value: unknown): SentenceLine {
  if (!isRecord(value)) throw new UsageError('The line is not a JSON object.');
  const { id = null, text, before = null, hosts = [] } = value;
  if (typeof text !== 'string') throw new UsageError('text must be a sentence.');
  if (before !== null && typeof before !== 'string') throw new UsageError('before must be a sentence.');
  const zone = typeof value.zone === 'string' ? resolveZone(value.zone) : null;
  if (zone === null) throw new UsageError('zone must be a time zone such as Europe/Berlin.');
  if (!Array.isArray(hosts) || !hosts.every(isHost)) throw new UsageError('hosts must be a list of {name, id}.');
  return { id, text, now: instantOf(value.now), zone, hosts, before };
}

const isHost = (value: unknown): value is Host =>
  isRecord(value) && typeof value.name === 'string' && typeof value.id === 'string';

function instantOf(value: unknown): Temporal.Instant {
  try {
    return Temporal.Instant.from(String(value));
  } catch {
    throw new UsageError('now must be a time such as 2026-10-14T13:20:00Z.');
  }
}

/** One project that only has hosts. */
function projectWith(hosts: readonly Host[]) {
  const listed = hosts.filter(({ name }) => name.includes('.')).map((host) => ({ ...host, tag: null }));
  const added = hosts.filter(({ name }) => !name.includes('.'));
  return {
    name: '',
    label: null,
    allowedChannels: null,
    hosts: { entries: async () => added.map((host) => [host.name, { ...host, addedBy: '' }] as const) },
    listedHosts: { known: async () => listed, renewed: async () => listed },
  };
}

export async function understandLine({ id, text, now, zone, hosts, before }: SentenceLine): Promise<object> {
  const deps = {
    projects: [projectWith(hosts)] as const,
    settings: { get: async () => undefined },
    conversations: { last: async () => before },
    policy: { allowedChannels: null, admins: null },
    now: () => now,
    zone,
  };
  try {
    const { sentence } = await readQuestion(deps, { text, user: '', channel: '', userZone: zone });
    return { id, ...fieldsOf(sentence) };
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    const suggestion = error instanceof UsageError ? (error.corrected ?? null) : null;
    return { id, refused: error.message, suggestion };
  }
}

/** Verbs that aren't questions about numbers. */
const OTHER_VERBS: ReadonlySet<string> = new Set(['digest', 'watch', 'settings', 'hosts', 'doctor', 'help', 'join']);

/** `which host` is reported as a check: it asks the same question, host by host. */
const asVerb = (verb: string): string => (verb === 'which-host' ? 'check' : verb);

function fieldsOf({ verb, range, hosts, versusHosts, category, zone, top, csv, privately, why, ...rest }: Sentence) {
  const names = distinctNames(hosts);
  if (OTHER_VERBS.has(verb)) return { verb, hosts: names };
  const versus = rest.versus === null || rest.versus === 'previous' ? rest.versus : instants(rest.versus);
  return {
    verb: asVerb(verb),
    range: range && instants(range),
    hosts: names,
    category,
    zone,
    versus: versusHosts.length > 0 ? { hosts: distinctNames(versusHosts) } : versus,
    project: null,
    top,
    csv: csv !== false,
    privately,
    why: why !== false,
  };
}

const instants = ({ from, to }: Range) => ({ from: from.toString(), to: to.toString() });
