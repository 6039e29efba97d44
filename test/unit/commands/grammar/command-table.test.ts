import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_WORDS, COMMANDS } from '../../../../src/commands/grammar/command-table.ts';
import { commandsPage } from '../../../support/commands-page.ts';

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

describe('the command table', () => {
  it('gives no word two meanings', () => {
    expect(new Set(COMMAND_WORDS).size).toBe(COMMANDS.flatMap(({ verb, aliases }) => [verb, ...aliases]).length);
  });
});
