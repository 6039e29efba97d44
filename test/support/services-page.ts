/** `docs/services.md`: what each dialect of the statistics service reports, and from which query. */
import type { DialectQueries } from '../../src/waf/dialects/dialect.ts';
import { DETAILS } from '../../src/waf/dialects/dialect.ts';
import { EVENTS_QUERIES } from '../../src/waf/dialects/events.ts';
import { OVERVIEWS_QUERIES } from '../../src/waf/dialects/overviews.ts';
import { ENGINES_PATH } from '../../src/waf/hosts.ts';

const DATA: Readonly<Record<keyof DialectQueries, { readonly name: string; readonly shownIn: string }>> = {
  timeline: { name: 'Requests and attacks over time', shownIn: '`timeline`, `check`, `compare`, digests, watches' },
  distribution: { name: 'Attacks by category', shownIn: '`attacks`, `check`, `compare`, digests, watches' },
  sources: { name: 'Addresses, paths, hosts and countries', shownIn: '`who`' },
  actions: { name: 'Blocked or only logged', shownIn: '`check`, `attacks`, the message of a watch' },
  responses: { name: 'Response codes of your servers, and the paths with errors', shownIn: '`incident`' },
  events: { name: 'Single events', shownIn: '`who … single events`' },
};

const queries = (paths: readonly string[]): string =>
  paths.length === 0
    ? '–'
    : paths
        .map((path) => `\`GET ${path}\``)
        .join(', else ')
        .replace(/else (?=`GET waf\/overviews\/abnormal)/, 'and ');

export function servicesPage(): string {
  const rows = (Object.keys(DATA) as (keyof DialectQueries)[]).map((data) => {
    const { name, shownIn } = DATA[data];
    return `| ${name} | ${shownIn} | ${queries(EVENTS_QUERIES[data])} | ${queries(OVERVIEWS_QUERIES[data])} |`;
  });
  return `${[
    '# What each service reports',
    '',
    '<!-- Generated from src/waf/dialects/ by `npm run docs`. -->',
    '',
    'The statistics services of this family speak one of two dialects, which `WAF_DIALECT` names or a probe detects. Paths',
    'follow `/v1/{project_id}/`.',
    '',
    '| data | shown in | events dialect | overviews dialect |',
    '|---|---|---|---|',
    ...rows,
    '',
    '| filter | in a sentence | events dialect | overviews dialect |',
    '|---|---|---|---|',
    '| Hosts | `on shop` | `hosts` | `hosts`, one by one where a region takes only one |',
    `| Dedicated engine | \`on engine-1\` | – | \`hosts\`, those that \`GET ${ENGINES_PATH}\` lists behind the engine |`,
    '',
    'A dedicated engine is a name for the hosts behind it: `on engine-1` asks about these, and `hosts` lists them. The filter',
    '`instances` of the overviews dialect isn’t used: neither categories (`waf/event/attack/type`) nor single events take it, so',
    'the parts of an answer would count different things. A host behind several engines counts with all of its traffic. A',
    'service without such a list has no names for its engines: the doctor says “no dedicated engines”, and the hosts have to be',
    'named themselves.',
    '',
    'A region may lack some of these queries. The bot learns that from the first refusal, stores it for a week, and uses the',
    'next query in the list. Without any, the answer has no such line, and *Why?* says:',
    '',
    ...Object.values(DETAILS).map((sentence) => `- ${sentence}`),
    '',
    'What was blocked and how servers responded are queried only for the answers that show them. If such a query fails, the',
    'answer comes without its line: it is tried once, for at most four seconds. Paths lose their query, and of single events',
    'only the time, host, path, category, rule, action and masked address are read, never cookies, bodies or payloads.',
  ].join('\n')}\n`;
}
