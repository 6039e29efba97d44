/** `docs/scripts.md`: what each npm script is for. */
import { readFileSync } from 'node:fs';

const PURPOSES: Readonly<Record<string, string>> = {
  prepare: 'runs after `npm ci`: compiles the sources once into `~/.cache/wafbot`, so that the first start is fast',
  start:
    'starts the bot, or the playground if no Slack tokens are set; `-- --check-config` only checks the settings, `-- --seed 7` plays another night',
  playground: 'starts the playground, whatever is set for a bot',
  build: 'bundles the bot into `dist/`, which the package and the image run',
  prepack: 'runs before the package is packed or published: builds it',
  check: 'while you work: lint, types, unused exports, the package and the fast unit tests, in about a minute',
  test: 'runs the tests that take seconds; of property tests and long tables, some of the cases',
  lint: 'Biome: formatting, lint rules and import cycles; warnings fail',
  types: 'type-checks everything',
  unused: 'knip: exports, files and dependencies that nothing uses',
  unit: 'runs the unit tests, which wait for nothing, without the few that take long',
  verify:
    'what CI runs: lint, types, unused exports, the package, licenses and all tests; `CASES=all` runs all cases of the property tests, as the nightly run does',
  package: 'builds the package and checks its manifest with publint',
  sbom: 'writes the bill of materials of the build and the licenses into `sbom/`; fails on a license that is not accepted',
  bench: 'measures speed against the targets; `-- felt charts` runs single benchmarks, `-- --quick` fewer rounds',
  evaluate:
    'scores the verdict and the watch on data with known answers; `-- --quick` uses fewer windows and weeks, `-- --ablate` tells [what each part is worth](verdict-details.md#what-each-part-is-worth), `-- --benchmark` writes [the benchmark](benchmark.md)',
  gallery: 'draws every chart onto one page in `gallery/`',
  'docs-pictures':
    'takes the pictures in `docs/images` from real answers, as *Share as a picture* draws them; needs Chromium',
  chaos: 'kills the bot and Redis while digests are due; fails if a digest is lost or posted twice',
  fuzz: 'a million sentences, and malformed answers and requests; `-- --sentences 1000` runs fewer',
  load: 'people ask while digests are due; reports latency, memory and calls',
  simulate:
    'runs 10,000 seeded histories of digests, watches, questions and faults in simulated time; `-- --histories 200` runs fewer, `-- --seed 42` repeats one and prints it',
  conformance:
    'runs the official MCP conformance suite against the server for agents, through a proxy that adds the token; downloads the suite',
  trace:
    'prints the source files that a question passes through: `npm run trace -- "timeline last 24h"`, or `-- digest`',
  migrate:
    'copies one store into another: `npm run -s migrate -- sqlite:data/wafbot.db redis://127.0.0.1:6379`; the same as `wafbot copy-store`',
  waf: 'asks the statistics service without Slack: `npm run -s waf -- attacks --from … --to …` prints JSON, `-- doctor` checks every query',
  judge: '[judges your own numbers](operations.md#judge-your-own-numbers): JSON lines in, JSON lines out',
  understand: '[shows how sentences are read](operations.md#see-how-sentences-are-read): JSON lines in, JSON lines out',
  mcp: '[answers an agent on this machine](agents.md): an MCP server on standard input and output',
  format: 'formats everything and applies safe lint fixes',
  docs: 'writes the generated pages: this one, `configuration.md`, `commands.md`, `services.md`, `time.md`, the hint in `manifest.yml`, and the other manifests',
};

const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync('package.json', 'utf8')).scripts;

/** Scripts without a purpose, and purposes without a script. */
export const scriptMismatches = (): string[] => [
  ...Object.keys(scripts).filter((name) => !(name in PURPOSES)),
  ...Object.keys(PURPOSES).filter((name) => !(name in scripts)),
];

export function scriptsPage(): string {
  return `${[
    '# Scripts',
    '',
    '<!-- Generated from package.json by `npm run docs`. -->',
    '',
    'Options go after `--`: `npm run bench -- --quick`. `npm run -s` prints only what the command itself prints.',
    '',
    '| script | purpose |',
    '|---|---|',
    ...Object.keys(scripts).map(
      (name) => `| \`npm ${name === 'start' || name === 'test' ? name : `run ${name}`}\` | ${PURPOSES[name]} |`,
    ),
  ].join('\n')}\n`;
}
