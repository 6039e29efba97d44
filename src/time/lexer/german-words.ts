/**
 * German words for times, each with the English words that it's read as. `_` stands for an ending (`letzt_`: letzte, letzten,
 * letzter …). Umlauts may be spelled out or left out: `früh`, `frueh`, `fruh`.
 */
import type { TimeToken } from '../model.ts';
import { NUMBER_WORDS } from './words.ts';

const ENDINGS = ['e', 'en', 'er', 'es', 'em'];

/** The same word with its umlauts spelled out, in lower case. */
export const foldGerman = (word: string): string => (/[^ -~]/.test(word) ? spelledOut(word) : word.toLowerCase());

const spelledOut = (word: string): string =>
  word
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss');

const withoutUmlauts = (word: string): string =>
  word.replaceAll('ä', 'a').replaceAll('ö', 'o').replaceAll('ü', 'u').replaceAll('ß', 'ss');

/** Every spelling of a word of the tables, folded. */
const spellings = (word: string): string[] => {
  const forms = word.endsWith('_') ? ENDINGS.map((ending) => word.slice(0, -1) + ending) : [word];
  return forms.flatMap((form) => [foldGerman(form), withoutUmlauts(form)]);
};

/** `german, words = english words` a line; phrases of several words are joined by `+`. */
const DAYS_AND_UNITS = `
heute, heutig_+tag, heutig_+tages = today
gestern, gestrig_+tag, gestrig_+tages = yesterday
vorgestern = day before yesterday
übermorgen = day after tomorrow
jetzt, eben = now
sekunde = second
sekunden, sek = seconds
minute = minute
minuten = minutes
stunde, std = hour
stunden, stdn = hours
tag, tages = day
tage, tagen = days
woche = week
wochen = weeks
monat, monats = month
monate, monaten = months
quartal, quartals = quarter
quartale = quarters
jahr, jahres = year
jahre, jahren = years
wochenende = weekend
januar, jänner = january
februar, feber = february
märz, mrz = march
mai = may
juni = june
juli = july
oktober, okt = october
dezember, dez = december
montag = monday
dienstag, di = tuesday
mittwoch, mi = wednesday
donnerstag = thursday
freitag, fr = friday
samstag, sonnabend, sa = saturday
sonntag = sunday
kalenderwoche = week
morgen, morgen+früh = tomorrow
früh = morning
vormittag = morning
mittag = noon
nachmittag = afternoon
abend = evening
nacht = night
mittags = noon
mitternacht = midnight
heiligabend = christmas eve
silvester = new years eve
neujahr = new years day
karfreitag = good friday
ostersonntag = easter sunday
ostermontag = easter monday
mez = cet
mesz = cest
ortszeit = local time
`;

const JOINING = `
letzt_, letz_, vergangen_, vorig_ = last
dies_ = this
nächst_, kommend_ = next
jed_ = each
täglich = daily
wöchentlich = weekly
montags = mondays
dienstags = tuesdays
mittwochs = wednesdays
donnerstags = thursdays
freitags = fridays
samstags = saturdays
sonntags = sundays
nachts = nights
morgens, vormittags = mornings
nachmittags = afternoons
abends = evenings
seit, seid = since
ab, von, vom = from
bis, bis+zu, bis+zum, bis+zur = until
zwischen = between
vor, davor, zuvor = before
nach = after
gegen, ca, circa, zirka, etwa, ungefähr, rund+um = around
für = for
während, innerhalb, im+laufe = during
und = and
oder = or
um = at
im = in
anfang, beginn = early
mitte = mid
ende = late
anfang+d_, beginn+d_, anfang+des, beginn+des = start of
ende+d_, ende+des = end of
bisher, bislang = so far
bitte = please
danke = thanks
paar, ein+paar = few
anderthalb, eineinhalb = 1.5
zweieinhalb = 2.5
dreieinhalb = 3.5
halb_+stunde, ein_+halb_+stunde = 30 minutes
viertelstunde, ein_+viertelstunde = 15 minutes
dreiviertelstunde = 45 minutes
wochenbeginn, wochenanfang = start of week
monatsbeginn, monatsanfang = start of month
quartalsbeginn = start of quarter
jahresbeginn, jahresanfang = start of year
vorwoche = last week
vormonat = last month
vorjahr = last year
heute+morgen, heute+am+morgen = this morning
gestern+morgen = yesterday morning
vorgestern+morgen = day before yesterday morning
am+morgen = in the morning
am+früh_+morgen, frühmorgens = early morning
am+vormittag = in the morning
am+nachmittag = in the afternoon
am+abend = in the evening
über+nacht, heute+nacht, in+der+nacht = overnight
gestern+nacht = last night
über+das+wochenende, übers+wochenende = weekend
heute+vor+einer+woche = a week ago today
berliner+zeit, deutsche+zeit, deutscher+zeit = berlin time
`;

const WEEKDAYS: readonly (readonly [german: string, english: string])[] = [
  ['montag', 'monday'],
  ['dienstag', 'tuesday'],
  ['mittwoch', 'wednesday'],
  ['donnerstag', 'thursday'],
  ['freitag', 'friday'],
  ['samstag', 'saturday'],
  ['sonnabend', 'saturday'],
  ['sonntag', 'sunday'],
];

const PARTS: readonly (readonly [german: string, english: string])[] = [
  ['morgen', 'morning'],
  ['früh', 'morning'],
  ['vormittag', 'morning'],
  ['mittag', 'noon'],
  ['nachmittag', 'afternoon'],
  ['abend', 'evening'],
  ['nacht', 'night'],
];

/** `montagabend`, `montag morgen`. */
const WEEKDAY_PARTS = WEEKDAYS.flatMap(([weekday, day]) =>
  PARTS.map(([part, name]) => `${weekday}${part}, ${weekday}+${part}, ${weekday}+am+${part} = ${day} ${name}`),
).join('\n');

/** Words that mean something else in English, or nothing on their own: read as German only next to one of the others. */
const ONLY_AMONG_GERMAN = `
mo = monday
do = thursday
so = sunday
an = on
am = on
die, der, das, den, dem, des, ganz_, gesamt_, den+ganz_+tag = ~
`;

export interface GermanPhrase {
  readonly words: readonly string[];
  readonly english: readonly string[];
}

function phrasesOf(table: string): GermanPhrase[] {
  return table.split('\n').flatMap((line) => {
    const [german, english] = line.split(' = ');
    if (german === undefined || english === undefined) return [];
    const read = english === '~' ? [] : english.split(' ');
    return german
      .split(', ')
      .flatMap((phrase) => combined(phrase.split('+')).map((words) => ({ words, english: read })));
  });
}

/** Every spelling of every word of a phrase. */
const combined = (words: readonly string[]): string[][] =>
  words.reduce<string[][]>(
    (before, word) => [...new Set(spellings(word))].flatMap((spelling) => before.map((each) => [...each, spelling])),
    [[]],
  );

const SURE = [DAYS_AND_UNITS, JOINING, WEEKDAY_PARTS].flatMap(phrasesOf);

/** By first word, longest first. */
export const GERMAN_PHRASES: ReadonlyMap<string, readonly GermanPhrase[]> = Map.groupBy(
  [...SURE, ...phrasesOf(ONLY_AMONG_GERMAN)].toSorted((a, b) => b.words.length - a.words.length),
  ({ words }) => words[0] ?? '',
);

const SMALL =
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(
    ' ',
  );
const TENS = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');
const ones = (index: number): string => (index === 1 ? 'ein' : (SMALL[index] ?? ''));

const NUMBERS: readonly (readonly [word: string, value: number])[] = [
  ...SMALL.map((word, value) => [word, value] as const),
  ...['ein', 'eine', 'einer', 'einem', 'einen'].map((word) => [word, 1] as const),
  ['zwo', 2],
  ...TENS.flatMap((ten, index) =>
    Array.from({ length: 10 }, (_, one) => [one === 0 ? ten : `${ones(one)}und${ten}`, 10 * index + 20 + one] as const),
  ),
];

const allSpellings = (rows: readonly (readonly [word: string, value: number])[]): ReadonlyMap<string, number> =>
  new Map(rows.flatMap(([word, value]) => spellings(word).map((spelling) => [spelling, value] as const)));

export const GERMAN_NUMBERS = allSpellings(NUMBERS);

const UNEVEN = ['', 'erst', 'zweit', 'dritt', 'viert', 'fünft', 'sechst', 'siebt', 'acht'];

/** `erste` to `einunddreißigste`, with every ending. */
export const GERMAN_ORDINALS = allSpellings(
  NUMBERS.filter(([word, value]) => value > 0 && value <= 31 && !/^(?:ein.+(?<!zig)|zwo|eins?)$/.test(word))
    .map(([word, value]) => [`${UNEVEN[value] ?? (value < 20 ? `${word}t` : `${word}st`)}_`, value] as const)
    .concat([['erst_', 1]]),
);

/** Names that mean different times to different people, with what to type instead. */
export const GERMAN_AMBIGUOUS: readonly (readonly [names: string, message: string])[] = [
  ['halb|viertel|dreiviertel|kurz', "I can't tell which time that is. Type it in digits, such as 14:30."],
  ['fruehling|fruehjahr|sommer|herbst', 'Seasons start on different days. Name the months, such as juni bis august.'],
  ['arbeitszeit|geschaeftszeiten|mittagspause|feierabend', "I can't tell which hours you mean. Try 20:00 to 08:00."],
  ['neulich|kuerzlich|zuletzt', "I can't tell how long you mean. Try last 24h or last 7 days."],
];

const SURE_WORDS: ReadonlySet<string> = new Set([
  ...SURE.filter(({ words }) => words.length === 1).flatMap(({ words }) => words),
  ...GERMAN_ORDINALS.keys(),
  ...GERMAN_NUMBERS.keys(),
  ...['uhr', 'kw', 'halb', 'viertel', 'halbjahr', 'herum'],
]);

/** What a misspelled word may have been. */
export const GERMAN_TIME_WORDS: readonly string[] = [...SURE_WORDS].filter((word) => word.length > 3);

/** Whether a word of a time range is German and can't be English. */
export const isGermanWord = (word: string): boolean => SURE_WORDS.has(foldGerman(word));

/** Whether a text has a German word. `am` is one before a date, as in `am 5.10.` */
export const isGerman = (tokens: readonly TimeToken[]): boolean =>
  tokens.some(({ type, text }, at) => {
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (type !== 'word') return false;
    if (text === 'am')
      return (
        (at === 0 || (before?.type === 'word' && !NUMBER_WORDS.has(before.text))) &&
        (after?.type === 'date' || after?.type === 'number')
      );
    // `Mo, 12.10.`
    const date = after?.text === ',' || after?.text === '.' ? tokens[at + 2] : after;
    if (text === 'mo' || text === 'do' || text === 'so') return date?.type === 'date' && date.text.includes('.');
    return isGermanWord(text);
  });
