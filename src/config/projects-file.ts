/**
 * The bot's projects: one from the environment, or several from the YAML file `WAFBOT_PROJECTS_FILE`. The keys of a project
 * are the `WAF_…` names in lower case without the prefix, so both are validated by the same code.
 */
import path from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { LineCounter, parseDocument } from 'yaml';
import { isRecord } from '../untrusted-input.ts';
import { FIELDS, type Values } from './fields.ts';
import { readService, type ServiceConfig } from './service.ts';
import { type Environment, readValues } from './values.ts';

export interface ProjectConfig extends ServiceConfig {
  /** What people type; `null` for the project from the environment, which needs no name. */
  readonly name: string | null;
  /** `null`: every channel the bot may use. */
  readonly allowedChannels: readonly string[] | null;
}

/** The default first. */
export type ProjectConfigs = readonly [ProjectConfig, ...ProjectConfig[]];

const PREFIX = 'WAF_';
const SERVICE_KEYS = Object.keys(FIELDS)
  .filter((name) => name.startsWith(PREFIX))
  .map((name) => name.slice(PREFIX.length).toLowerCase());
const PROJECT_KEYS = [...SERVICE_KEYS.flatMap((key) => [key, `${key}_file`]), 'allowed_channels'];
const FILE_KEYS = ['default', 'projects'];

/** Typed after `project`, and part of stored keys. */
const NAME = /^[a-z][a-z0-9-]{0,29}$/;
/** These mean something else after `project`. */
const RESERVED_NAMES: readonly string[] = ['none', 'the', 'all', 'project'];
/** A form lists them in one select. */
const MAX_PROJECTS = 50;

/** The default first; `null` if there is none, with the reason in `faults`. */
export function readProjects(values: Values, environment: Environment, faults: string[]): ProjectConfigs | null {
  const { WAFBOT_PROJECTS: text } = values;
  const filePath = environment.WAFBOT_PROJECTS_FILE?.trim() ?? '';
  if (text === undefined) {
    if (filePath !== '') return null;
    const service = readService(values, faults);
    return service === null ? null : [{ ...service, name: null, allowedChannels: null }];
  }
  const setting = filePath === '' ? 'WAFBOT_PROJECTS' : 'WAFBOT_PROJECTS_FILE';
  const single = Object.keys(values).filter((name) => name.startsWith(PREFIX));
  if (single.length > 0) {
    faults.push(`${single.join(', ')} and ${setting} are both set; configure projects only in the file.`);
  }
  const found: string[] = [];
  const projects = readFileText(text, path.dirname(filePath), found);
  faults.push(...found.map((fault) => `${setting}: ${fault}`));
  return projects;
}

function readFileText(text: string, folder: string, faults: string[]): ProjectConfigs | null {
  const content = parseYaml(text, faults);
  if (content === null) return null;
  faults.push(...unknownKeys(content, FILE_KEYS, ''));
  const { default: first, projects } = content;
  if (!isRecord(projects) || Object.keys(projects).length === 0) {
    faults.push('projects is missing; name each project below it, such as "projects:", "  eu:", "    base_url: …".');
    return null;
  }
  const names = Object.keys(projects);
  if (names.length > MAX_PROJECTS) faults.push(`has ${names.length} projects; the limit is ${MAX_PROJECTS}.`);
  if (first !== undefined && !(typeof first === 'string' && names.includes(first))) {
    faults.push(
      `default must be the name of one of its projects: ${names.filter((name) => NAME.test(name)).join(', ')}.`,
    );
  }
  const read = names.flatMap((name) => readProject(name, projects[name], folder, faults) ?? []);
  const [head, ...tail] = [...read.filter(({ name }) => name === first), ...read.filter(({ name }) => name !== first)];
  return head === undefined ? null : [head, ...tail];
}

type Mapping = Readonly<Record<string, unknown>>;

/** The parser's messages may quote a password from the file, so only the kind of fault and its line are reported. */
function parseYaml(text: string, faults: string[]): Mapping | null {
  const lineCounter = new LineCounter();
  // Without types: an ID such as 0123 or a password such as `no` stays text.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, lineCounter });
  for (const { code, pos } of document.errors) {
    const kind = code.toLowerCase().replaceAll('_', ' ');
    faults.push(`line ${lineCounter.linePos(pos[0]).line} is not valid YAML (${kind}).`);
  }
  if (document.errors.length > 0) return null;
  let content: unknown;
  try {
    content = document.toJS();
  } catch {
    // Too many aliases.
    content = null;
  }
  if (isRecord(content)) return content;
  faults.push('has no projects; it must be YAML with "projects:" and below it a name for each.');
  return null;
}

function unknownKeys(content: Mapping, known: readonly string[], where: string): string[] {
  return Object.keys(content)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const nearest = closest(key.toLowerCase(), known);
      const advice = distance(key.toLowerCase(), nearest) <= 4 ? `did you mean ${nearest}?` : 'remove it.';
      return `${where}${key} is not a known key; ${advice}`;
    });
}

function readProject(name: string, content: unknown, folder: string, faults: string[]): ProjectConfig | null {
  const where = `project ${name}: `;
  if (!NAME.test(name) || RESERVED_NAMES.includes(name)) {
    faults.push(
      `${where}the name must be up to 30 of a-z, 0-9 and -, start with a letter, and not be a reserved word such as none.`,
    );
    return null;
  }
  if (!isRecord(content)) {
    faults.push(`${where}has no settings; set base_url, project_id and its credentials below it.`);
    return null;
  }
  faults.push(...unknownKeys(content, PROJECT_KEYS, where));
  const environment: Record<string, string> = {};
  for (const [key, value] of Object.entries(content)) {
    if (!PROJECT_KEYS.includes(key) || key === 'allowed_channels') continue;
    if (typeof value !== 'string') faults.push(`${where}${key} must be a single value.`);
    // Paths are relative to this file.
    else environment[`${PREFIX}${key.toUpperCase()}`] = key.endsWith('_file') ? path.resolve(folder, value) : value;
  }
  const { values, faults: own } = readValues(environment);
  const service = readService(values, own);
  faults.push(...own.map((fault) => where + inFile(fault)));
  const allowedChannels = readChannels(content.allowed_channels, where, faults);
  return service === null ? null : { ...service, name, allowedChannels };
}

/** Replaces names of environment variables with keys of the file. */
export function inFile(text: string): string {
  return text.replace(/\bWAF_[A-Z_]+/g, (name) => name.slice(PREFIX.length).toLowerCase());
}

function readChannels(value: unknown, where: string, faults: string[]): readonly string[] | null {
  if (value === undefined) return null;
  const text = Array.isArray(value) ? value.join(',') : value;
  const [schema, fix] = FIELDS.WAFBOT_ALLOWED_CHANNELS;
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  faults.push(`${where}allowed_channels ${fix}.`);
  return [];
}
