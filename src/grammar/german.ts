/** German words beside the English ones: each is read as its English counterpart. Times have their own table in `time/`. */
import { GERMAN_TIME_WORDS, isGermanWord, isTimeWord } from '../time/index.ts';
import type { Word } from './tokens.ts';

const TABLE = `
angriffe attacks, angriff attack, attacken attacks, attacke attack, angriffsarten types, arten types,
kategorien categories, aufschluesselung breakdown, anfrage request, zugriffe requests, aufrufe requests, verkehr traffic,
datenverkehr traffic, zeitverlauf timeline, verlauf timeline, zeitachse timeline, besucher visitors, vergleich compare,
pruefe check, ueberpruefe check, lage status, stand status, vorfall incident, vorfaelle incidents, vorfallbericht incident,
angreifer attackers, quellen sources, herkunft sources, laender countries, land country, adressen addresses, wer who, hilfe help,
einstellungen settings, auf on, bei on, fuer for, gegen against, und and, mit with, als as, nur only, bloss only,
versuche attempts, warum why, wieso why, weshalb why, privat privately, vertraulich privately, zeig show, gib give, mir me,
bitte please, danke thanks, hallo hello, moin hello, servus hello, guten good, tag day, wie how, viele many, viel much,
gab were, gibt is, es it, hat has, hatte had, haben have, bekam got, bekommen got, war was, waren were, ist is, sind is,
sieht looks, wird is, wurde was, werden is, wurden were, wir we, uns us, unser our, alles everything, etwas anything,
irgendwas anything, was what, los happening, passiert happened, geschehen happened, angegriffen attacked, beschuss attack,
unter under, ruhig quiet, normal normal, ungewoehnlich unusual, auffaellig unusual, komisch weird, seltsam strange,
schlimm bad, vorbei over-yet, noch still, jetzt now, gerade now, derzeit now, aktuell now, momentan now, der the, die the,
das the, dem the, den the, ein a, eine a, einem a, einer a, bericht report, ueber about, zum to, zur to, zu to,
welcher which, welche which, host host, hosts hosts, seite site, alle all, vorherigen previous, vorher previous,
davor previous, sonst also, denn please, mal please, doch please, ich i, moechte want, will want, du you, datei file,
sql-injection sqli, sql-injektion sqli, einschleusung injection, insgesamt overall, kamen came, woher who, grafik graph,
diagramm chart, greift attacking, greifen attacking, laeuft is, laufen is, dauert is, attackier attacking,
haemmer hammering, scannt scanning, scannen scanning, steig rise, stieg rise, gestiegen rise, sink fall, sank fall, bombardier bombarding, trifft hitting, treffen hitting, traf hit, getroffen hit,
flut flooding, geflutet flooded, gehackt hacked, hackt hacking, beschossen attacked, belastet affected, betroffen affected,
wieviel many, wem who, wen who, mich me, dir you, dich you, ihr you, sie they, ihnen them, man we, gut ok, gutes ok,
schon also, eigentlich also, gross also, ganz also, etwa about, ungefaehr about, geh going, ging going, gegangen going,
komm come, stimmt is, nicht not, irgend any, irgendein any, irgendwelche any, verdaechtig suspicious, merkwuerdig weird,
besonder unusual, auffaelligkeit anomalies, problem problem, stoerung trouble, alarm alarm, warnung alert,
haeufigst biggest, groesst biggest, staerkst biggest, schlimmst biggest, wichtigst biggest, meist most, anzahl number,
zahl number, zahlen numbers, menge amount, summe total, gesamt total, uebersicht overview, ueberblick overview,
zusammenfassung summary, statistik stats, liste list, gebt give, gibst give, schick send, liefer send, hol fetch,
such find, mach make, erstell create, les read, seh see, sieh see, schau look, guck look, wiss know, sag tell, nenn tell,
brauch need, haett want, wollen want, wuerd would, koennt could, kann can, koennen can, darf can, soll should, bekomm get,
erhielt got, erhalten got, empfangen received, reinkam came, eingegangen came, eingehend came, gekommen came, getan did,
gemacht did, gelaufen happened, vorgefallen happened, ereignet happened, abging happening, abgeht happening,
zugange happening, schlechter worse, stabil stable, attackierend attacking, sicher safe, ueberlastet busy,
ausgelastet busy, warst was, seid are, bist are, bin am, wurdest were, worden been, gewesen been, geworden been, sein be,
denen them, deren their, dessen its, mein my, euch you, eure your, hier here, da there, dort there, dann then, also so,
aber also, ja yes, leute folks, kollegen folks, zusammen all, gruesse hello, hi hi, na hi, tja hm, wann when, wo where,
wohin where, wodurch why, weswegen why, begonnen started, angefangen started, aufgehoert stopped, beendet ended,
beginnt start, endet end, vorueber over-yet, erklaer explain, begruend explain, details details, genauer details,
exportier export, herunterladen download, besucherzahlen visitors, spitzen peaks, spitze peak, adresse address,
urheber attackers, taeter attackers, verursacher attackers, absender sources, quelle source, ip ip, ips ips,
unterschied difference, gegenueber versus, verglich compared, versus versus, oder or, sowie and, plus and, dazu also,
gegenueberstellung compare, bzgl about, bezueglich about, hinsichtlich about, richtung towards, webseite site,
website site, server host, seiten sites, domain domain, zugriff request, anfrag requests, request request, aufruf request,
abruf requests, besuche visits, traffic traffic, netzverkehr traffic, angriffsversuche attempts, angriffstypen types,
angriffstyp type, typen types, typ type, sorten types, kategorie category, art type, vorfallsbericht incident,
zwischenfall incident, geht going, okay ok, jemand someone, niemand nobody, gern please, oft often, pro per, steck behind, hinter behind, mehr more,
weniger less, hoeher higher, aus from, wann when, kurve curve, trend trend, mittlerweile now, inzwischen now, bereits already,
gerne please, einmal please, eben also, halt also, ueberhaupt also, wirklich really, vielleicht maybe, langsam slow, wetter weather, lief going, steht going, hoch much, aktiv active, rund ok, neues news, rot red, gelb yellow, gruen green, ordnung ok, zeit time, neue new, neuen new, neuer new, auch also, cross-site-scripting xss
`;

const ENGLISH: ReadonlyMap<string, string> = new Map(
  TABLE.split(',').map((row) => {
    const [german = '', english = ''] = row.trim().split(' ');
    return [german, english.replace('-', ' ')] as const;
  }),
);

/** What a misspelled word may have been. */
export const GERMAN_WORDS: readonly string[] = [
  ...GERMAN_TIME_WORDS,
  ...['seit', 'zwischen'],
  ...[...ENGLISH.keys()]
    .filter((word) => word.length > 3)
    .flatMap((word) => [word, `${word}e`, `${word}n`, `${word}en`]),
];

/** Words that also exist in English, with the same or another meaning. */
const SHARED: ReadonlySet<string> = new Set(
  `was will tag die den gab mal host hosts normal stand arten los war hi ja da na man gross problem alarm server domain website
  request traffic attacke plus versus details ip ips art typ okay also hat bin bist liste mein such sag wo wen dir sie`.split(
    /\s+/,
  ),
);

const ENDINGS = /^(?:e|en|er|es|em|n|s|t|st|te|ten|et)$/;
const MIN_STEM = 4;

/** The word of the table: itself, or without its ending, as in `zeigen` and `auffälliges`. */
function entryFor(word: string): string | undefined {
  if (ENGLISH.has(word)) return word;
  const stems = [1, 2, 3].map((cut) => [word.slice(0, -cut), word.slice(-cut)] as const);
  return stems.find(([stem, ending]) => stem.length >= MIN_STEM && ENDINGS.test(ending) && ENGLISH.has(stem))?.[0];
}

const fold = (word: string): string =>
  word.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');

/** The words as English reads them, if some are clearly German. Times stay as typed. */
export function inEnglish(words: readonly Word[]): readonly Word[] {
  const bare = ({ lower, quoted }: Word): string => (quoted ? '' : fold(lower.replace(/(?<![?!.,;:])[?!.,;:]+$/, '')));
  const isGerman = words.some((word) => {
    const entry = entryFor(bare(word));
    return entry !== undefined && !SHARED.has(entry);
  });
  const isTime = (text: string): boolean => text.length > 3 && isGermanWord(text) && !isTimeWord(text);
  // `was war gestern los` has only shared words beside its time.
  const isShared = words.some((word) => SHARED.has(bare(word))) && words.some((word) => isTime(bare(word)));
  if (!isGerman && !isShared) return words;
  return words.map((word, at) => {
    const next = words[at + 1];
    if (bare(word) === 'im' && next !== undefined && bare(next) === 'vergleich') return { ...word, lower: 'also' };
    if (bare(word) === 'an') return { ...word, lower: next === undefined ? 'also' : 'to' };
    const following = next === undefined ? '' : bare(next);
    if (bare(word) === 'aus' && (following === '' || following.startsWith('welch'))) return { ...word, lower: 'also' };
    if (bare(word) === 'in' && following === 'ordnung') return { ...word, lower: 'also' };
    if (bare(word) === 'ab' && following === '') return { ...word, lower: 'also' };
    if (bare(word) === 'was' && at > 0 && following === '') return { ...word, lower: 'anything' };
    if (bare(word) === 'nach' && ENGLISH.has(following)) return { ...word, lower: 'by' };
    if (bare(word) === 'seit' && following === 'wann') return { ...word, lower: 'since' };
    if (bare(word) === 'zwischen' && !/^\d/.test(following)) return { ...word, lower: 'between' };
    if (bare(word) === 'als' && words.some((each) => /^(mehr|weniger|hoeher)$/.test(bare(each))))
      return { ...word, lower: 'than' };
    if (bare(word) === 'wo' && bare(words[at - 1] ?? word) === 'von') return { ...word, lower: 'who' };
    if (bare(word) === 'von' && next !== undefined && /^(wem|wo)$/.test(following)) return { ...word, lower: 'also' };
    const isBeforeTime = /^\d/.test(following) || isGermanWord(following) || isTimeWord(following);
    if (bare(word) === 'von' && following !== '' && !isBeforeTime && !ENGLISH.has(following))
      return { ...word, lower: 'of' };
    const english = ENGLISH.get(entryFor(bare(word)) ?? '');
    // `gegen 14 Uhr` is a time, and `zu`, `der` may belong to one.
    const isBeforeNumber = /^\d/.test(words[at + 1]?.lower ?? '');
    if (english === undefined || (isBeforeNumber && /^(gegen|zu|zum|auf|fuer|bei|und)$/.test(bare(word)))) return word;
    if (english === 'compare' && bare(words[at - 1] ?? word) === 'im' && /^(zu|zum|zur|mit)$/.test(following))
      return { ...word, lower: 'compared' };
    return { ...word, lower: english };
  });
}
