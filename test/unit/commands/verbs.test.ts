/** What holds for every verb, so that a new one is tested by being registered. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thingsToAsk } from '../../../src/commands/things-to-ask.ts';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { UsageError } from '../../../src/errors.ts';
import type { Part } from '../../../src/grammar/command-table.ts';
import { plainText } from '../../../src/replies/phrases.ts';
import { type CommandsStage, openCommandsStage } from '../../fuzz/commands-stage.ts';
import { commandsPage } from '../../support/commands-page.ts';

describe('the manual', () => {
  it.each(COMMANDS.all)('has a chapter on $verb with an example', ({ verb, examples }) => {
    expect(commandsPage()).toContain(`## ${verb}\n`);
    expect(examples.length).toBeGreaterThan(0);
  });
});

describe('who may do what', () => {
  const admins = readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| `WAFBOT_ADMINS` |'));
  const responses = COMMANDS.all
    .flatMap(({ subCommands = [] }) => subCommands)
    .filter(({ effect }) => effect === 'respond')
    .map(({ name }) => name);

  it('is documented: responses to an alert are not for admins alone', () => {
    expect(responses).toEqual(['assign', 'ack', 'snooze', 'wake', 'expected', 'earlier', 'undo']);
    for (const name of responses) {
      expect(admins).toContain(`\`${name}\``);
      expect(commandsPage()).toMatch(new RegExp(`\\.[^\\n]*\`${name}\`[^\\n]* are responses to an alert`));
    }
  });
});

describe('the words of the verbs', () => {
  it('have one meaning each', () => {
    const words = COMMANDS.all.flatMap(({ verb, aliases }) => [verb, ...aliases]);
    expect(new Set(words).size).toBe(words.length);
    for (const { verb, aliases } of COMMANDS.all)
      for (const word of [verb, ...aliases]) expect(COMMANDS.find(word)?.verb).toBe(verb);
  });
});

/** A phrase for each part, in words that are part of no name. */
const PHRASES: Readonly<Record<Part, string>> = {
  range: 'last 24h',
  versus: 'vs yesterday',
  versusProject: 'vs project us',
  category: 'sqli',
  hosts: 'on host-1',
  project: 'in project eu',
  zone: 'in Asia/Tokyo',
  privately: 'privately',
  csv: 'csv',
  canvas: 'as a canvas',
  why: 'details',
  events: 'single events',
  top: 'top 7',
};
const isPart = (name: string): name is Part => Object.hasOwn(PHRASES, name);

describe('a verb', () => {
  let stage: CommandsStage;
  let asked = 0;
  const unavailable = async (): Promise<never> => {
    throw new Error('the service is not asked here');
  };
  /** A person may not ask this much. */
  const ask = (text: string) => {
    asked += 1;
    return stage.commands.answer({ text, user: `U${asked}`, channel: 'C1', userZone: null });
  };
  beforeAll(async () => {
    stage = await openCommandsStage({ timeline: unavailable, distribution: unavailable }, '2026-03-10T14:30:00Z');
  });
  afterAll(() => stage.close());

  const undeclared = COMMANDS.all.flatMap(({ verb, parts, yieldsToCategory, subCommands = [] }) =>
    Object.keys(PHRASES)
      .filter(isPart)
      .filter((part) => !parts.includes(part))
      // `check sqli` is a question for the attacks of that category.
      .filter((part) => part !== 'category' || yieldsToCategory !== 'always')
      // What is ignored is a category.
      .filter((part) => part !== 'category' || verb !== 'ignore')
      // `settings privately` is its own word, and a watch is for a category.
      .filter((part) => !subCommands.some(({ words }) => words.includes(PHRASES[part])))
      .map((part) => [`${verb} ${PHRASES[part]}`] as const),
  );

  it.each(undeclared)('refuses a part that it does not declare: %s', async (text) => {
    const error = await ask(text).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ text, span: { start: expect.any(Number), end: expect.any(Number) } });
  });

  it('says which part it refuses, and offers the sentence without it', async () => {
    await expect(ask('doctor csv')).rejects.toMatchObject({
      message: "“csv” doesn't work with doctor.",
      span: { start: 7, end: 10 },
      corrected: 'doctor',
    });
    await expect(ask('watches privately')).rejects.toMatchObject({ corrected: 'watches' });
    await expect(ask('check today vs yesterday')).rejects.toMatchObject({ corrected: 'compare today vs yesterday' });
  });

  it('is named by help and under one heading of the Home tab', async () => {
    const { body = [] } = await ask('help');
    const help = body.map(plainText).join('\n');
    const examples = thingsToAsk(COMMANDS).flatMap(({ questions, changes }) => [...questions, ...changes]);
    for (const command of COMMANDS.all) {
      const names = [command.verb, ...(command.phrases ?? []).map(({ words }) => words.join(' '))];
      expect(help).toMatch(new RegExp(`\\b(${names.join('|')})\\b`));
      for (const example of command.help.examples) expect(examples.filter((each) => each === example)).toHaveLength(1);
    }
  });

  it.each(COMMANDS.all)('has its own page of help: $verb', async ({ verb, usage }) => {
    const { title, body = [] } = await ask(`help ${verb}`);
    expect(title).toBe(`Help: ${verb}`);
    expect(body.map(plainText)).toContain(`/waf ${usage[0]}`);
  });
});
