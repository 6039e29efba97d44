/** Environment → validated values by name, including secrets from files. All faults are reported together. */
import { readFileSync } from 'node:fs';
import { closest, distance } from 'fastest-levenshtein';
import { BotError } from '../errors.ts';
import { FIELDS, type Values } from './fields.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends BotError {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super('config', `The configuration has ${faults.length === 1 ? 'a problem' : `${faults.length} problems`}.`);
    this.faults = faults;
  }
}

/** `xoxb-...`, as `.env.example` has it. */
const PLACEHOLDER = /^(x[a-z]+-)?\.{3}$/;

export function readValues(environment: Environment): { values: Values; faults: string[] } {
  const faults = unknownNames(environment);
  const values: Record<string, unknown> = {};
  for (const [name, [schema, fix]] of Object.entries(FIELDS)) {
    const raw = readRaw(name, environment, faults);
    if (raw === undefined) continue;
    const parsed = schema.safeParse(raw);
    if (PLACEHOLDER.test(raw)) faults.push(`${name} is still the placeholder of .env.example; set your own value.`);
    else if (parsed.success) values[name] = parsed.data;
    else faults.push(`${name} ${fix}.`);
  }
  return { values, faults };
}

function readRaw(name: string, environment: Environment, faults: string[]): string | undefined {
  const direct = environment[name]?.trim();
  const path = environment[`${name}_FILE`]?.trim();
  if (!path) return direct === '' ? undefined : direct;
  if (direct) {
    faults.push(`${name} and ${name}_FILE are both set; keep one.`);
    return direct;
  }
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    faults.push(`${name}_FILE can't be read; check the path and its permissions.`);
    return undefined;
  }
}

function unknownNames(environment: Environment): string[] {
  const known = Object.keys(FIELDS);
  return Object.keys(environment)
    .filter((name) => /^(WAFBOT|WAF)_/.test(name) && !known.includes(name.replace(/_FILE$/, '')))
    .map((name) => {
      const nearest = closest(name, known);
      const advice = distance(name, nearest) <= 4 ? `did you mean ${nearest}?` : 'remove it.';
      return `${name} is not a wafbot setting; ${advice}`;
    });
}
