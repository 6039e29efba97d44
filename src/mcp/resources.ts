/** What agents can read: the categories, the rule behind the verdict, and what can be asked. */
import { COMMANDS } from '../commands/verbs/index.ts';
import { ruleInWords } from '../replies/rule-words.ts';
import { CATEGORIES } from '../statistics/categories.ts';

interface AgentResource {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly text: () => string;
}

export const RESOURCES: readonly AgentResource[] = [
  {
    name: 'categories',
    uri: 'waf://categories',
    title: 'Attack categories',
    description: 'The names of attack categories, and what else they are called in a sentence',
    text: () => CATEGORIES.map(({ field, name, words }) => `${name}: ${[field, ...words].join(', ')}`).join('\n'),
  },
  {
    name: 'verdict',
    uri: 'waf://verdict',
    title: 'The rule behind the verdict',
    description: 'When something counts as elevated or as a surge',
    text: ruleInWords,
  },
  {
    name: 'questions',
    uri: 'waf://questions',
    title: 'What can be asked',
    description: 'The questions that waf_ask answers, with examples',
    text: () =>
      COMMANDS.all
        .filter(({ defaultRange }) => defaultRange !== undefined)
        .map(({ verb, summary, usage, examples }) =>
          [`${verb}: ${summary}`, ...usage, ...examples.map((example) => `e.g. ${example}`)].join('\n  '),
        )
        .join('\n'),
  },
];
