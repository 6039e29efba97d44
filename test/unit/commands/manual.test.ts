import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_WORDS, COMMANDS } from '../../../src/commands/grammar/command-table.ts';
import { commandsManual } from '../../../src/commands/manual.ts';

describe('the manual', () => {
  it('is up to date (npm run docs)', () => {
    expect(readFileSync('docs/commands.md', 'utf8')).toBe(commandsManual());
  });

  it('gives each command a chapter with an example', () => {
    for (const { verb, examples } of COMMANDS) {
      expect(commandsManual()).toContain(`## ${verb}\n`);
      expect(examples.length).toBeGreaterThan(0);
    }
  });
});

describe('the command table', () => {
  it('gives no word two meanings', () => {
    expect(new Set(COMMAND_WORDS).size).toBe(COMMANDS.flatMap(({ verb, aliases }) => [verb, ...aliases]).length);
  });
});
