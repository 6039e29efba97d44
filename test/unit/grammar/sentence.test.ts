import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/commands/verbs/index.ts';
import { BotError, UsageError } from '../../../src/errors.ts';
import { parseSentence, refuseLeftover, type Sentence } from '../../../src/grammar/sentence.ts';
import { splitWords } from '../../../src/grammar/tokens.ts';
import { fc } from '../../support/property.ts';

const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');
const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const ALIASES = [
  { name: 'shop', id: ID, addedBy: 'U1' },
  { name: 'My Blog', id: `${ID}0`, addedBy: 'U1' },
  { name: 'api.example.com', id: `${ID}1`, addedBy: 'U1' },
];
const read = (text: string): Sentence =>
  parseSentence(text, { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS });

/** What a sentence means, in one line that can be compared. */
function meaning(text: string): string {
  const { verb, range, versus, hosts, zone, privately, csv, why, events } = read(text);
  const span = (r: { from: Temporal.Instant; to: Temporal.Instant } | null): string =>
    r === null ? '-' : `${r.from}/${r.to}`;
  return [
    verb,
    span(range),
    versus === null ? '' : `vs ${versus === 'previous' ? versus : span(versus)}`,
    hosts.map(({ name }) => name).join('+'),
    zone,
    privately ? 'private' : '',
    csv === 'only' ? 'csv only' : csv ? 'csv' : '',
    why === true ? 'why' : why === false ? '' : `why ${why}`,
    events ? 'single events' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** What was not understood, and the words that the caret stands under. */
function faultOf(text: string): { at: string; error: UsageError } {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { at: error.span === undefined ? '' : text.slice(error.span.start, error.span.end), error };
  }
  throw new Error(`understood: ${text}`);
}

const DAY = '2026-03-09T14:30:00Z/2026-03-10T14:30:00Z';
const TODAY = '2026-03-09T23:00:00Z/2026-03-10T14:30:00Z';
const YESTERDAY = '2026-03-08T23:00:00Z/2026-03-09T23:00:00Z';
const AFTERNOON = '2026-03-09T13:00:00Z/2026-03-09T15:00:00Z';

describe('a sentence', () => {
  it.each([
    ['timeline last 24h', `timeline ${DAY} Europe/Berlin`],
    ['last 24h', `timeline ${DAY} Europe/Berlin`],
    ['last 24h timeline', `timeline ${DAY} Europe/Berlin`],
    ['TRAFFIC Last 24H', `timeline ${DAY} Europe/Berlin`],
    ['timeline', 'timeline - Europe/Berlin'],
    ['attacks today', `attacks ${TODAY} Europe/Berlin`],
    ['breakdown today on shop', `attacks ${TODAY} shop Europe/Berlin`],
    ['attacks on shop today', `attacks ${TODAY} shop Europe/Berlin`],
    ['on shop attacks today', `attacks ${TODAY} shop Europe/Berlin`],
    ['timeline yesterday 14:00-16:00 on shop', `timeline ${AFTERNOON} shop Europe/Berlin`],
    ['timeline yesterday on shop 14:00-16:00', `timeline ${AFTERNOON} shop Europe/Berlin`],
    [
      'timeline today on shop, "my blog" and api.example.com',
      `timeline ${TODAY} shop+My Blog+api.example.com Europe/Berlin`,
    ],
    ['timeline today on SHOP , shop', `timeline ${TODAY} shop Europe/Berlin`],
    [`timeline today on ${ID}`, `timeline ${TODAY} ${ID} Europe/Berlin`],
    ['timeline today for shop', `timeline ${TODAY} shop Europe/Berlin`],
    ['timeline today in UTC', 'timeline 2026-03-10T00:00:00Z/2026-03-10T14:30:00Z UTC'],
    ['in America/New_York timeline today', 'timeline 2026-03-10T04:00:00Z/2026-03-10T14:30:00Z America/New_York'],
    ['timeline last 24h privately', `timeline ${DAY} Europe/Berlin private`],
    ['privately csv timeline last 24h', `timeline ${DAY} Europe/Berlin private csv`],
    ['timeline last 24h as csv', `timeline ${DAY} Europe/Berlin csv`],
    ['timeline last 24h csv only', `timeline ${DAY} Europe/Berlin csv only`],
    ['who last 24h single events', `who ${DAY} Europe/Berlin single events`],
    ['single events who last 24h on shop csv', `who ${DAY} shop Europe/Berlin csv single events`],
    ['compare today vs yesterday', `compare ${TODAY} vs ${YESTERDAY} Europe/Berlin`],
    ['compare today with yesterday on shop', `compare ${TODAY} vs ${YESTERDAY} shop Europe/Berlin`],
    ['compare today on shop vs yesterday privately', `compare ${TODAY} vs ${YESTERDAY} shop Europe/Berlin private`],
    ['timeline last 24h vs previous', `timeline ${DAY} vs previous Europe/Berlin`],
    ['timeline last 24h compared to the period before', `timeline ${DAY} vs previous Europe/Berlin`],
    ['check', 'check - Europe/Berlin'],
    ['check why?', 'check - Europe/Berlin why'],
    ['check why rule', 'check - Europe/Berlin why rule'],
    ['check today on shop why numbers', `check ${TODAY} shop Europe/Berlin why numbers`],
    ['attacks today on shop with details', `attacks ${TODAY} shop Europe/Berlin why`],
    ['check now', 'check - Europe/Berlin'],
    ['now', 'check - Europe/Berlin'],
    ['now on shop privately', 'check - shop Europe/Berlin private'],
    ['Now in UTC', 'check - UTC'],
    ['check last 24h on shop csv', `check ${DAY} shop Europe/Berlin csv`],
    ['incident', 'incident - Europe/Berlin'],
    ['incident yesterday 14:00-16:00 on shop', `incident ${AFTERNOON} shop Europe/Berlin`],
    // `now` is a time wherever it can be one.
    ['now-24h to now', `timeline ${DAY} Europe/Berlin`],
    ['timeline now-24h to now', `timeline ${DAY} Europe/Berlin`],
    ['since yesterday 15:30 to now', `timeline ${DAY} Europe/Berlin`],
    ['attacks since yesterday 15:30 to now', `attacks ${DAY} Europe/Berlin`],
    ['doctor', 'doctor - Europe/Berlin'],
    ['', 'help - Europe/Berlin'],
    ['  ', 'help - Europe/Berlin'],
    // Phones' quotes, dashes and spaces.
    ['timeline\u00a0yesterday 14:00\u201316:00 on \u201cmy blog\u201d', `timeline ${AFTERNOON} My Blog Europe/Berlin`],
  ])('%s', (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });

  it('reads `on thursday` as a time and `on shop` as a host', () => {
    expect(meaning('timeline 9:30-11:00 on thursday on shop')).toBe(
      'timeline 2026-03-05T08:30:00Z/2026-03-05T10:00:00Z shop Europe/Berlin',
    );
  });

  it('understands every example of the command table', () => {
    for (const { verb, examples } of COMMANDS.all) {
      for (const example of examples) expect(read(example).verb).toBe(verb);
    }
  });
});

/** Host names as the service lists them, and as people add them. */
const LISTED = ['www.example.net', 'cart.example.net', 'cart-api.example.net'].map((name) => ({
  name,
  id: name,
  tag: null,
}));
const asked = (text: string): string => {
  const { verb, category, range, versus, hosts, versusHosts, top, csv, privately } = parseSentence(text, {
    now: NOW,
    zone: 'Europe/Berlin',
    aliases: ALIASES,
    listed: LISTED,
    commands: COMMANDS,
  });
  const span = (window: Sentence['range']) =>
    window === null ? '-' : `${window.from.toString().slice(5, 16)}/${window.to.toString().slice(5, 16)}`;
  return [
    `${verb} ${span(range)}`,
    ...(versus === null ? [] : [`vs ${versus === 'previous' ? versus : span(versus)}`]),
    ...(hosts.length === 0 ? [] : [`on ${hosts.map(({ name }) => name).join('+')}`]),
    ...(versusHosts.length === 0 ? [] : [`vs ${versusHosts.map(({ name }) => name).join('+')}`]),
    ...(category === null ? [] : [category]),
    ...(top === null ? [] : [`top ${top}`]),
    ...(csv ? ['csv'] : []),
    ...(privately ? ['private'] : []),
  ].join(' ');
};

const Y = '03-08T23:00/03-09T23:00';
const T = '03-09T23:00/03-10T14:30';

describe('a sentence as people on call type it', () => {
  it.each([
    // Hosts wherever they stand.
    ['attacks against shop yesterday', `attacks ${Y} on shop`],
    ['shop attacks yesterday', `attacks ${Y} on shop`],
    ['requests to the cart today', `timeline ${T} on cart.example.net`],
    ['xss at shop yesterday', `attacks ${Y} on shop xss`],
    ['www traffic today', `timeline ${T} on www.example.net`],
    ['attacks on my blog today', `attacks ${T} on My Blog`],
    ["my blog's attacks today", `attacks ${T} on My Blog`],
    ['cart and shop timeline yesterday', `timeline ${Y} on cart.example.net+shop`],
    ['for shop, timeline yesterday', `timeline ${Y} on shop`],
    ['shop?', 'check - on shop'],
    ['how is the shop site doing right now', 'check - on shop'],
    ['attacks on all hosts yesterday', `attacks ${Y}`],
    // The verb last, as a noun, or another one.
    ['graph the requests of yesterday', `timeline ${Y}`],
    ['a timeline of yesterday', `timeline ${Y}`],
    ["who's hammering www rn", 'who - on www.example.net'],
    ['where did the attacks on shop come from yesterday', `who ${Y} on shop`],
    ['how many requests did www get yesterday', `timeline ${Y} on www.example.net`],
    ['how many attacks happened yesterday', `attacks ${Y}`],
    ['what happened to the traffic yesterday', `check ${Y}`],
    ['is the traffic to shop normal', 'check - on shop'],
    ['requests and attacks yesterday', `timeline ${Y}`],
    ['incident report for yesterday', `incident ${Y}`],
    ['was there an incident yesterday?', `check ${Y}`],
    ['check sqli on shop', 'attacks - on shop sqli'],
    // Small words.
    ['sqli only yesterday', `attacks ${Y} sqli`],
    ['attacks yesterday on shop, only xss, as csv', `attacks ${Y} on shop xss csv`],
    ['sql injection attempts yesterday', `attacks ${Y} sqli`],
    ['top 3 attack types today', `attacks ${T} top 3`],
    ['top ten ips today', `who ${T} top 10`],
    ['top attackers yesterday', `who ${Y}`],
    ['just for me: attacks today', `attacks ${T} private`],
    ['export the attacks of yesterday as csv pls', `attacks ${Y} csv`],
    ['hi bot, attacks today thx', `attacks ${T}`],
    ['yesterday, did we have any attacks between 14:00 and 16:00?', 'attacks 03-09T13:00/03-09T15:00'],
    ['attacks since the deploy at 14:10', 'attacks 03-10T13:10/03-10T14:30'],
    ['attacks since the 14:10 deploy', 'attacks 03-10T13:10/03-10T14:30'],
    ['attacks since the eight am deploy', 'attacks 03-10T07:00/03-10T14:30'],
    ['since we restarted nginx at 14:10, attacks on shop', 'attacks 03-10T13:10/03-10T14:30 on shop'],
    ['attacks from yesterday on shop', `attacks ${Y} on shop`],
    ['only visible to me: attacks today', `attacks ${T} private`],
    ['requests per hour today', `timeline ${T}`],
    ['how often was shop attacked today', `attacks ${T} on shop`],
    ['what did they try on shop today', `attacks ${T} on shop`],
    ['https://api.example.com/ attacks today', `attacks ${T} on api.example.com`],
    ['requests shop + cart today', `timeline ${T} on shop+cart.example.net`],
    ['are we good?', 'check -'],
    ['5 most common attack types on shop today', `attacks ${T} on shop top 5`],
    ['list 20 ips today', `who ${T} top 20`],
    ['since the deploy at 14:10: attacks on shop', 'attacks 03-10T13:10/03-10T14:30 on shop'],
    ['thanks. now attacks on shop today', `attacks ${T} on shop`],
    ['which of our hosts are under attack', 'which-host -'],
    ['biggest attack types on shop today, top 5', `attacks ${T} on shop top 5`],
    ['was shop hit by bots today?', `attacks ${T} on shop robot`],
    ['shop or cart: which one was attacked more yesterday', `attacks ${Y} on shop vs cart.example.net`],
    ['anything noteworthy from yesterday', `check ${Y}`],
    ['what did we miss yesterday', `check ${Y}`],
    ['attacks since the pager went off at 14:10', 'attacks 03-10T13:10/03-10T14:30'],
    ['since the cutover at 14:10 how is shop doing', 'check 03-10T13:10/03-10T14:30 on shop'],
    ['shop: requests vs attacks yesterday', `timeline ${Y} on shop`],
    ['attack over?', 'check -'],
    ['attacks on shop (yesterday)', `attacks ${Y} on shop`],
    ['more attacks on shop or on cart today?', `attacks ${T} on shop vs cart.example.net`],
    ['is today worse than yesterday on shop', `compare ${T} vs ${Y} on shop`],
    ['last weekend vs the weekend before', 'timeline 03-06T23:00/03-08T23:00 vs 02-27T23:00/03-01T23:00'],
    ['requests coming into shop today', `timeline ${T} on shop`],
    ['yo bot attacks on shop today', `attacks ${T} on shop`],
    ['are the attacks on shop over', 'check - on shop'],
    ['attacks on shop since we rolled back at 14:10', 'attacks 03-10T13:10/03-10T14:30 on shop'],
    ['from which countries was shop attacked yesterday', `who ${Y} on shop`],
    ['who hit shop the hardest yesterday', `who ${Y} on shop`],
    ['webshell uploads on shop today', `attacks ${T} on shop webshell`],
    ['fewer attacks on shop than usual?', 'check - on shop'],
    ['how many hosts were attacked today', `which-host ${T}`],
    ['sqli on shop from yesterday to csv', `attacks ${Y} on shop sqli csv`],
    ['good, attacks on shop today', `attacks ${T} on shop`],
    ['thx attacks on shop today', `attacks ${T} on shop`],
    ['ok attacks on shop today', `attacks ${T} on shop`],
    ['scanner activity on shop today', `attacks ${T} on shop custom_robot`],
    ["who's responsible for the attacks on shop today", `who ${T} on shop`],
    ['give me 10 top ips today', `who ${T} top 10`],
    ["shop's attackers today", `who ${T} on shop`],
    ['which hosts got the most attacks yesterday', `which-host ${Y}`],
    ['why is shop red', 'check - on shop'],
    ['when did the attack on shop start', 'check - on shop'],
    // Comparisons.
    ['attacks on shop compared to cart today', `attacks ${T} on shop vs cart.example.net`],
    ['which got more attacks yesterday, shop or cart?', `attacks ${Y} on shop vs cart.example.net`],
    ['were there more attacks today than yesterday', `attacks ${T} vs ${Y}`],
    ['is traffic higher than usual', 'check -'],
    ['shop and cart side by side yesterday', `compare ${Y} on shop vs cart.example.net`],
    ['compare shop vs cart yesterday', `compare ${Y} on shop vs cart.example.net`],
    ['compare shop and cart yesterday', `compare ${Y} on shop vs cart.example.net`],
    ['compare shop yesterday with cart', `compare ${Y} on shop vs cart.example.net`],
    ['attacks last 24h vs previous 24h', 'attacks 03-09T14:30/03-10T14:30 vs 03-08T14:30/03-09T14:30'],
    ['attack traffic today', `timeline ${T}`],
    ['attacks today on shop and cart, top 3', `attacks ${T} on shop+cart.example.net top 3`],
    ['attacks on the shop page today', `attacks ${T} on shop`],
    ['timeline today 13:00-14:00 vs yesterday', 'timeline 03-10T12:00/03-10T13:00 vs 03-09T12:00/03-09T13:00'],
    ['timeline yesterday afternoon vs sunday', 'timeline 03-09T11:00/03-09T18:00 vs 03-08T11:00/03-08T18:00'],
    ['attacks shop vs cart yesterday', `attacks ${Y} on shop vs cart.example.net`],
    ['sqli on shop yesterday vs cart yesterday', `attacks ${Y} on shop vs cart.example.net sqli`],
    ['shop vs cart', 'compare - on shop vs cart.example.net'],
    ['compare shop today vs yesterday', `compare ${T} vs ${Y} on shop`],
    ['compare today and yesterday', `compare ${T} vs ${Y}`],
    ['compare today to yesterday on shop', `compare ${T} vs ${Y} on shop`],
    ['compare last week to the week before', 'compare 03-01T23:00/03-08T23:00 vs 02-22T23:00/03-01T23:00'],
    ['attacks today vs the day before', `attacks ${T} vs ${Y}`],
    ['attacks last 2h vs the 2h before', 'attacks 03-10T12:30/03-10T14:30 vs 03-10T10:30/03-10T12:30'],
    ['last 2h vs same time last week', 'timeline 03-10T12:30/03-10T14:30 vs 03-03T12:30/03-03T14:30'],
    ['compare 9:00 to 11:00', 'compare 03-10T08:00/03-10T10:00'],
  ])('%s', (text, expected) => {
    expect(asked(text)).toBe(expected);
  });

  it.each([
    ['attacks vs yesterday', 'The first window is missing before “vs”.'],
    ['more attacks than last week?', 'The first window is missing before “than”.'],
    ['attacks on shop and requests on cart today', 'Ask one question at a time.'],
    ['when will the attack stop', "That isn't in the numbers I have."],
    ['compare today vs', 'The second window is missing after “vs”.'],
    ['compare shop today vs cart yesterday', 'Compare two hosts over the same window'],
    ['compare shop, cart and www', 'two hosts at a time'],
    ['attacks today vs cart', 'be compared with? Name two hosts'],
    ['sqli and xss yesterday', 'one category at a time'],
    ['who did the sqli on shop', "can't be limited to one category"],
    ['attacks since the deploy', "I don't know when the deploy was"],
    ['attacks not on shop', 'not'],
    ['attacks on all hosts but shop', 'but'],
    ['attacks every monday', 'repeating'],
    ['slow requests on shop', 'not how they were answered'],
    ['attacks on shop and foo', 'foo'],
    // The first part of a host that isn't listed yet.
    ['attacks on site yesterday', 'site'],
  ])('refuses %s', (text, words) => {
    expect(() => asked(text)).toThrow(words);
  });
});

describe('a fault', () => {
  it.each([
    ['timelien last 24h', 'timelien', 'timeline', 'timeline last 24h'],
    ['attaks today on shop', 'attaks', 'attacks', 'attacks today on shop'],
    ['timeline today on shpo', 'shpo', 'shop', 'timeline today on shop'],
    ['hello timelien last 24h', 'timelien', 'timeline', 'hello timeline last 24h'],
  ])('%s: the nearest word, and the whole sentence with it', (text, at, suggestion, corrected) => {
    const fault = faultOf(text);
    expect(fault.at).toBe(at);
    expect(fault.error.suggestion).toBe(suggestion);
    expect(fault.error.corrected).toBe(corrected);
  });

  it.each([
    ['timeline today bananas', 'bananas'],
    ['timeline on nowhere today', 'nowhere'],
    ['doctor bananas', 'bananas'],
    ['compare today vs', 'vs'],
    ['timeline today on shop,', ','],
  ])('%s: the caret stands under %s', (text, at) => {
    const fault = faultOf(text);
    expect(fault.at).toContain(at);
    expect(fault.error.message).toMatch(/[.?]$/);
  });

  it('is always told of the text as typed', () => {
    expect(faultOf('timeline today bananas').error.text).toBe('timeline today bananas');
  });
});

describe('a suggestion', () => {
  it.each([
    ['attaks on shpo yesterdya sqil only', 'attacks on shop yesterday sqli only'],
    ['timelnie last 24h onshop', 'timeline last 24h on shop'],
    ['attacks on shop yesterday in Euorpe/Berlin', 'attacks on shop yesterday in Europe/Berlin'],
    ['time line yesterday on shop', 'timeline yesterday on shop'],
    ['compar today vs yesterday on shop', 'compare today vs yesterday on shop'],
  ])('%s: corrects everything at once and keeps the rest', (text, corrected) => {
    expect(faultOf(text).error.corrected).toBe(corrected);
  });

  it.each([
    // No number but those that were typed.
    'timeline last weeks on shop',
    'bananas yesterday',
    'attacks on nowhere',
  ])('%s: none, if nothing sensible remains', (text) => {
    expect(faultOf(text).error.corrected).toBeUndefined();
  });
});

describe('a long sentence', () => {
  const hosts = Array.from({ length: 50 }, (_, n) => `${ID.slice(2)}${String(n).padStart(2, '0')}`).join(', ');

  it.each([`timeline last 24h on ${hosts}`, `timeline on ${hosts} last 24h`, `timeline last on ${hosts} 24h`])(
    'is understood however many hosts stand between its words',
    (text) => {
      expect(read(text).range?.from.toString()).toBe('2026-03-09T14:30:00Z');
      expect(read(text).hosts).toHaveLength(50);
    },
  );

  it('has its fault where it was typed', () => {
    const text = `timeline last  bananas on ${hosts} 24h`;
    expect(faultOf(text).at).toBe('bananas');
  });

  it('is refused before anything of it is read, with the limit', () => {
    const refusal = (text: string): unknown => {
      try {
        return read(text);
      } catch (error) {
        return error;
      }
    };
    expect(refusal(`timeline${' '.repeat(1_992)}`)).toMatchObject({ verb: 'timeline' });
    expect(refusal(`timeline${' '.repeat(1_993)}`)).toBeInstanceOf(BotError);
    expect(refusal(`timeline${' '.repeat(1_993)}`)).toMatchObject({
      code: 'limit',
      message: 'That has 2001 characters; I read up to 2000.',
    });
  });
});

describe('anything at all', () => {
  const words = fc.constantFrom(
    'timeline',
    'attacks',
    'on',
    'in',
    'vs',
    'shop',
    ',',
    'and',
    'last',
    '24h',
    'today',
    'csv',
    'privately',
    'toString',
    '__proto__',
    '"',
    '<',
    'UTC',
    'help',
    '-',
    'is',
    'everything',
    'ok?',
    'sqli',
    'what',
    'the',
    ':wave:',
  );
  it('is understood or refused, never answered with a crash', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 300 }),
          fc.array(words, { maxLength: 15 }).map((list) => list.join(' ')),
        ),
        (text) => {
          try {
            const { range } = read(text);
            if (range !== null) expect(Temporal.Instant.compare(range.from, range.to)).toBe(-1);
          } catch (error) {
            expect(error).toBeInstanceOf(UsageError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

const notTold = (which: string): string =>
  `I can't tell ${which} from others. Ask for all of them, or for one category.`;
const NO_CATEGORY = "That's not a category that I can show. Ask for attacks to see all of them.";

describe('what the service cannot filter by', () => {
  it.each([
    [
      'blocked requests yesterday',
      'blocked',
      "I can't filter by what was done with a request. The answer says how much was blocked.",
    ],
    ['attacks from china yesterday', 'china', "I can't filter by country. Ask who for the largest ones."],
    ['attacks from 203.0.113.7 today', '203.0.113.7', "I can't filter by address. Ask who for the largest ones."],
    ['attacks on shop /login yesterday', '/login', "I can't filter by path. Ask who for the largest ones."],
    ['POST requests last 2h', 'POST', "I can't filter by method."],
    ['shop without crawlers today', 'without', "I can't leave anything out. Name what you want to see instead."],
    ['why is shop slow', 'slow', 'I only have requests and attacks, not how they were answered.'],
    ['5xx on shop last 2h', '5xx', 'I only have requests and attacks, not how they were answered.'],
    ['critical attacks yesterday', 'critical', notTold('critical attacks')],
    ['show me all normal traffic', 'normal', notTold('normal traffic')],
    ['new attacks on shop today', 'new', notTold('new attacks')],
    ['good traffic on shop', 'good', notTold('good traffic')],
    ['nice requests today', 'nice', notTold('nice requests')],
    ['spam traffic on shop', 'spam', notTold('spam traffic')],
    ['any serious sqli today?', 'serious', notTold('serious sqli')],
    ['how many customers were affected on shop', 'customers', "I don't know what “customers” means here."],
    ['the third biggest attack on shop', 'third', 'I can show the largest ones. Say how many, such as top 3.'],
    ['shop uploads yesterday', 'uploads', "I don't know what “uploads” means here."],
    ['read requests on shop', 'read', notTold('read requests')],
    ['attacks on shop in red', 'red', "I don't know what “red” means here."],
    ['how do i report an attack', 'how', "That isn't in the numbers I have."],
    ['shop team today', 'team', "I don't know what “team” means here."],
    ['attacks with spike on shop', 'spike', "I don't know what “spike” means here."],
    [
      'how many attacks were stopped on shop',
      'stopped',
      "I can't filter by what was done with a request. The answer says how much was blocked.",
    ],
    ['requests from people today', 'people', "I don't know what “people” means here."],
    ['attacks with customers on shop', 'customers', "I don't know what “customers” means here."],
    ['who changed shop yesterday', 'changed', "I don't know what “changed” means here."],
    ['who is responsible for shop', 'responsible', "I don't know what “responsible” means here."],
    ['ddos attacks on shop today', 'ddos', NO_CATEGORY],
    ['brute force on shop last night', 'brute', NO_CATEGORY],
    ['any probe attacks today?', 'probe', notTold('probe attacks')],
    [
      'what share of traffic was bad today',
      'share',
      "I don't calculate shares. A timeline shows attacks beside requests.",
    ],
    ['ips that were attacked today', 'ips', 'I know which addresses attack, not which are attacked.'],
    ['turn off the waf for shop', 'turn', "I only show what happened. I can't do that."],
    ['tell me when shop is under attack', 'tell', 'To hear about it when it happens, set up a watch: type watch.'],
  ])('%s is refused at “%s”', (text, word, message) => {
    const { at, error } = faultOf(text);
    expect(at).toBe(word);
    expect(error.message).toBe(message);
    expect(error.corrected).toBeUndefined();
  });

  it('is no reason to refuse a host of that name, or help on a command', () => {
    expect(meaning('attacks today on "my blog"')).toContain('My Blog');
    expect(read('help /timeline').verb).toBe('help');
  });

  it.each([
    ['are we being ddosed?', 'check'],
    ['when did the ddos start', 'check'],
    ['tell me when the attack started', 'attacks'],
    ['unusual traffic on shop', 'check'],
  ])('is no reason to refuse “%s”', (text, verb) => {
    expect(read(text).verb).toBe(verb);
  });
});

describe('a word that was not understood', () => {
  const listed = ['tickets.example.org', 'docs.example.org'].map((name) => ({ name, id: name, tag: null }));
  const hostsOf = (text: string, mayKnowMore = false): string[] => {
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS, mayKnowMore };
    return parseSentence(text, { ...context, listed: mayKnowMore ? [] : listed }).hosts.map(({ name }) => name);
  };

  it.each([
    'attacks on tickets today',
    'tickets: requests last 12h',
    'requests for tickets',
    'requests hitting tickets',
  ])('is the host that has its name: %s', (text) => {
    expect(hostsOf(text)).toEqual(['tickets.example.org']);
    expect(() => hostsOf(text, true)).toThrow('no host');
  });

  it('is pointed at as an unknown host if it could be one or a misspelled time', () => {
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS, mayKnowMore: true };
    const refused = { span: { start: 9, end: 13 }, reason: { is: 'unknown_host', name: 'frum' } };
    expect(() => parseSentence('timeline frum monday to tuesday', context)).toThrow(expect.objectContaining(refused));
  });

  it.each(['id', 'go', 'status', 'get', 'bad'])('is a host called %s after on, once hosts are known', (name) => {
    const named = [{ name: `${name}.example.org`, id: name, tag: null }];
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS };
    const text = `attacks on ${name} today`;
    expect(parseSentence(text, { ...context, listed: named }).hosts).toHaveLength(1);
    expect(() => parseSentence(text, { ...context, listed: [], mayKnowMore: true })).toThrow('no host');
  });

  it.each([
    'who hit status last 2h',
    'timeline status yesterday',
    'status traffic today',
    'is status ok?',
    'requests to status since 9',
    'attacks on may yesterday',
    'who hit update today',
    'was update attacked today?',
  ])('is a host called like a command, a month or talk: %s', (text) => {
    const named = ['status', 'may', 'update'].map((name) => ({ name: `${name}.example.org`, id: name, tag: null }));
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS };
    expect(parseSentence(text, { ...context, listed: named }).hosts).toHaveLength(1);
    expect(() => parseSentence(text, { ...context, listed: [], mayKnowMore: true })).toThrow();
  });

  it('has the host loaded that a watch is about', () => {
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS, mayKnowMore: true };
    expect(() => parseSentence('watch docs for sqli', context)).toThrow('no host');
  });

  it('is not left out in a button if it has a number', () => {
    const refused = expect.objectContaining({ corrected: undefined });
    expect(() => refuseLeftover('digest preview daily at 09:00', splitWords('at 09:00'))).toThrow(refused);
  });

  it('is offered as the host where it could also be talk', () => {
    const listed = [{ name: 'status.example.org', id: 'status', tag: null }];
    const context = { now: NOW, zone: 'Europe/Berlin', aliases: ALIASES, commands: COMMANDS };
    const offer = expect.objectContaining({ corrected: 'timeline today on status' });
    expect(() => parseSentence('timeline today status', { ...context, listed })).toThrow(offer);
  });

  it.each([
    'got paged. what happened on shop today?',
    'sorry to bother, attacks on shop today',
    'customer complains, check shop',
  ])('may say why somebody asks: %s', (text) => {
    expect(read(text).hosts).toHaveLength(1);
  });

  it('is the second of two hosts', () => {
    expect(hostsOf('timeline docs and tickets today')).toEqual(['docs.example.org', 'tickets.example.org']);
  });

  it.each([
    ['attacks on reports today', 'reports'],
    ['attacks from aws at 9am', 'aws'],
    ['pls attacsk shop 24h thx', 'attacsk'],
    ['compare the weekend to last weekend', 'to'],
    ['targeted attacks on shop today', 'targeted'],
    ['who is on call', 'who'],
    ['what is sqli', 'what'],
    ['attacks on shop search today', 'search'],
    ['expected requests today', 'expected'],
    ['attack the shop', 'attack'],
    ['please whitelist shop', 'whitelist'],
    ['scan shop', 'scan'],
    ['just payroll, attacks today', 'payroll'],
    ['attacks on shop yesterday and requests today', ' and requests '],
  ])('is never skipped: %s', (text, word) => {
    expect(faultOf(text).at).toBe(word);
  });

  it('belongs to the time: end of last week', () => {
    expect(meaning('end of last week attacks')).toBe('attacks 2026-03-05T23:00:00Z/2026-03-08T23:00:00Z Europe/Berlin');
  });

  it.each(['check at 13:00', 'what happened on shop at 13:00', 'this time yesterday', 'check this time yesterday'])(
    'is no reason to refuse a moment: %s',
    (text) => {
      const { from, to } = read(text).range ?? { from: NOW, to: NOW };
      expect(from.until(to).total('minutes')).toBe(60);
    },
  );

  it('counts a category that occurred', () => {
    expect(read('how many sql injection attacks occurred yesterday?').category).toBe('sqli');
  });
});
