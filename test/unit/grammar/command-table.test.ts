import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_WORDS, COMMANDS, commandFor } from '../../../src/grammar/command-table.ts';
import { commandsPage } from '../../support/commands-page.ts';

describe('the manual', () => {
  it('is up to date (npm run docs)', () => {
    expect(readFileSync('docs/commands.md', 'utf8')).toBe(commandsPage());
  });

  it('gives each command a chapter with an example', () => {
    for (const { verb, examples } of COMMANDS) {
      expect(commandsPage()).toContain(`## ${verb}\n`);
      expect(examples.length).toBeGreaterThan(0);
    }
  });
});

describe('who may do what', () => {
  const admins = readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('| `WAFBOT_ADMINS` |'));
  const responses = COMMANDS.flatMap(({ verb }) => commandFor(verb)?.subCommands ?? [])
    .filter(({ effect }) => effect === 'respond')
    .map(({ name }) => name);

  it('is said in the settings and the manual: answers to an alert are not for admins alone', () => {
    expect(responses).toEqual(['ack', 'snooze', 'wake', 'expected', 'earlier', 'undo']);
    for (const name of responses) {
      expect(admins).toContain(`\`${name}\``);
      expect(commandsPage()).toMatch(new RegExp(`\\.[^\\n]*\`${name}\`[^\\n]* are answers to an alert`));
    }
  });
});

describe('the command table', () => {
  it('gives no word two meanings', () => {
    expect(new Set(COMMAND_WORDS).size).toBe(COMMANDS.flatMap(({ verb, aliases }) => [verb, ...aliases]).length);
  });
});
