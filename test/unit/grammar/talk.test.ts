/** What people say instead of a command, and what they are taken to ask. */
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { parseSentence } from '../../../src/grammar/sentence.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const ALIASES = [
  { name: 'shop', id: ID, addedBy: 'U1' },
  { name: 'My Blog', id: `${ID}0`, addedBy: 'U1' },
];

/** Verb, category, window and hosts. */
function meaning(text: string): string {
  const { verb, topic, category, range, versus, hosts } = parseSentence(text, {
    now: NOW,
    zone: 'UTC',
    aliases: ALIASES,
    commands: COMMANDS,
  });
  const clock = (at: Temporal.Instant): string => at.toString().slice(5, 16);
  return [
    topic === 'thanks' ? 'thanks' : verb,
    category ?? '',
    range === null ? '' : `${clock(range.from)}/${clock(range.to)}`,
    versus === null ? '' : 'vs',
    hosts.map(({ name }) => name).join('+'),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const TODAY = '03-10T00:00/03-10T14:30';
const YESTERDAY = '03-09T00:00/03-10T00:00';
const DAY = '03-09T14:30/03-10T14:30';
const NIGHT = '03-09T18:00/03-10T08:00';

describe('a question for the host that is attacked', () => {
  it.each([
    ['which host is under attack', 'which-host'],
    ['Which host is under attack?', 'which-host'],
    ['which host', 'which-host'],
    ['which host?', 'which-host'],
    ['which-host', 'which-host'],
    ['which hosts are under attack', 'which-host'],
    ['what host is being attacked', 'which-host'],
    ['hi, which host is being attacked right now?', 'which-host'],
    ['which sites are under attack?', 'which-host'],
    ['which host is attacked most?', 'which-host'],
    ['which host was under attack yesterday 02:00-04:00', 'which-host 03-09T02:00/03-09T04:00'],
    ['yesterday, which host was attacked?', `which-host ${YESTERDAY}`],
    ['which host last 24h in UTC', `which-host ${DAY}`],
    ['which host is under attack on shop', 'which-host shop'],
    // The list of hosts, as ever.
    ['which hosts are there?', 'hosts'],
    ['which hosts', 'hosts'],
    ['what hosts do you have', 'hosts'],
    ['help which host', 'help'],
    // No question for a host.
    ['is the site under attack?', 'check'],
    ['which attacks were there yesterday?', `attacks ${YESTERDAY}`],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe('a general question gets the check', () => {
  it.each([
    ['hello', 'check'],
    ['Hi there!', 'check'],
    ['good morning :wave:', 'check'],
    ['is everything ok?', 'check'],
    ['is everything ok ?', 'check'],
    ['Is everything OK on shop?', 'check shop'],
    ['is shop ok?', 'check shop'],
    ['is "my blog" ok?', 'check My Blog'],
    ['are we under attack?', 'check'],
    ['is the shop under attack right now?', 'check shop'],
    ['are we being attacked', 'check'],
    ['is there an attack going on?', 'check'],
    ['status', 'check'],
    ['status of shop', 'check shop'],
    ['what’s going on?', 'check'],
    ['what is going on here?', 'check'],
    ["what's going on on shop?", 'check shop'],
    ['how are things at the moment', 'check'],
    ['anything unusual?', 'check'],
    ['anything other than usual?', 'check'],
    ['is the traffic normal?', 'check'],
    ['check if everything is ok', 'check'],
    ['can you check the shop please', 'check shop'],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });

  it.each([
    ['what happened last night?', `check ${NIGHT}`],
    ['what happened yesterday at 14:00-16:00 on shop', 'check 03-09T14:00/03-09T16:00 shop'],
    ['anything unusual in the last hour', 'check 03-10T13:30/03-10T14:30'],
    ['was everything fine yesterday?', `check ${YESTERDAY}`],
    ['is today normal?', `check ${TODAY}`],
  ])('about its window: %s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe('a category by itself', () => {
  it.each([
    ['sqli last 24h', `attacks sqli ${DAY}`],
    ['xss yesterday on shop', `attacks xss ${YESTERDAY} shop`],
    ['SQL injection', 'attacks sqli'],
    ['how many sql injections yesterday?', `attacks sqli ${YESTERDAY}`],
    ['cc attacks today', `attacks cc ${TODAY}`],
    ['attacks sqli last 24h', `attacks sqli ${DAY}`],
    ['cross-site scripting today', `attacks xss ${TODAY}`],
    ['what about sqli?', 'attacks sqli'],
    ['sqli today vs yesterday', `attacks sqli ${TODAY} vs`],
    // A word of every day names a category only beside `attacks`.
    ['other attacks today', `attacks vuln ${TODAY}`],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe('politeness changes nothing', () => {
  it.each([
    ['show me the timeline of yesterday', `timeline ${YESTERDAY}`],
    ['can you show me attacks last 24h please?', `attacks ${DAY}`],
    ['how many attacks yesterday?', `attacks ${YESTERDAY}`],
    ['were there any attacks last night?', `attacks ${NIGHT}`],
    ['how many requests last 24h', `timeline ${DAY}`],
    ['what about yesterday?', `timeline ${YESTERDAY}`],
    ['how does today compare with yesterday?', `compare ${TODAY} vs`],
    ['timeline shop yesterday', `timeline ${YESTERDAY} shop`],
    ['timeline yesterday, please', `timeline ${YESTERDAY}`],
    ['doctor please', 'doctor'],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe('help and thanks', () => {
  it.each([
    ['help me', 'help'],
    ['I need help', 'help'],
    ['what can you do?', 'help'],
    ['please', 'help'],
    ['thanks!', 'thanks'],
    ['thank you :pray:', 'thanks'],
    ['ok thanks', 'thanks'],
    ['thanks, is everything ok now?', 'check'],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe('a word that nobody knows', () => {
  it.each(['is everything bananas?', 'are we bananas', 'hello bananas', 'sqli bananas', 'is shpo ok?'])(
    'is pointed at among talk: %s',
    (text) => {
      expect(() => meaning(text)).toThrow(/bananas|shpo/);
    },
  );
});
