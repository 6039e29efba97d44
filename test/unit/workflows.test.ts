/** What SECURITY.md says about the workflows: pinned actions, a token that reads, and nothing from outside in a script. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = new URL('../../.github/workflows/', import.meta.url);
const FILES = readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER), 'utf8')] as const);
/** To report findings to the repository's security tab. */
const MAY_WRITE = ['security-events'];

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions,
  jobs: z.record(
    z.string(),
    z.object({
      permissions: permissions.optional(),
      steps: z.array(
        z.object({ uses: z.string().optional(), run: z.string().optional(), with: z.looseObject({}).optional() }),
      ),
    }),
  ),
});

it.each(FILES)('%s pins each action by commit, with its version beside it', (_, text) => {
  const uses = text.split('\n').filter((line) => line.includes('uses:'));
  expect(uses.length).toBeGreaterThan(0);
  for (const line of uses) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(FILES)('%s has a token that reads, and writes findings at most', (_, text) => {
  const { permissions: all, jobs } = workflow.parse(parse(text));
  expect(all).toEqual({ contents: 'read' });
  const written = Object.values(jobs).flatMap((job) =>
    Object.entries(job.permissions ?? {}).flatMap(([name, access]) => (access === 'write' ? [name] : [])),
  );
  expect(MAY_WRITE).toEqual(expect.arrayContaining(written));
});

it.each(FILES)('%s runs no foreign code with a token, and no foreign text in a script', (_, text) => {
  const { on, jobs } = workflow.parse(parse(text));
  expect(Object.keys(on)).not.toContain('pull_request_target');
  expect(Object.keys(on)).not.toContain('workflow_run');
  for (const { uses = '', run = '', with: inputs = {} } of Object.values(jobs).flatMap(({ steps }) => steps)) {
    expect(run).not.toContain('${{');
    if (uses.startsWith('actions/checkout@')) expect(inputs).toMatchObject({ 'persist-credentials': false });
  }
});
