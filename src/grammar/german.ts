/** German words beside the English ones: each is read as its English counterpart. Times have their own table in `time/`. */
import type { Word } from './tokens.ts';

const TABLE = `
angriffe attacks, angriff attack, attacken attacks, attacke attack, angriffsarten types, arten types, kategorien categories,
aufschluesselung breakdown, anfragen requests, anfrage request, zugriffe requests, aufrufe requests, verkehr traffic, datenverkehr traffic,
zeitverlauf timeline, verlauf timeline, zeitachse timeline, besucher visitors, vergleiche compare, vergleich compare, vergleichen compare,
verglichen compared, pruefe check, pruefen check, ueberpruefe check, lage status, stand status, vorfall incident, vorfaelle incidents,
vorfallbericht incident, angreifer attackers, quellen sources, herkunft sources, laender countries, adressen addresses, wer who,
hilfe help, einstellungen settings, auf on, bei on, fuer for, gegen against, und and, mit with, als as, nur only, bloss only, versuche attempts,
warum why, wieso why, weshalb why, privat privately, vertraulich privately, zeig show, zeige show, gib give, mir me, bitte please, danke thanks,
hallo hello, moin hello, servus hello, guten good, tag day, wie how, viele many, viel much, gab were, gibt is, gibts is, es it, hat has, hatte had,
haben have, hatten had, bekam got, bekommen got, war was, waren were, ist is, sind is, sieht looks, wird is, wurde was, werden is, wurden were,
wir we, uns us, unser our, unsere our, alles everything, etwas anything, irgendwas anything, was what, los happening, passiert happened,
geschehen happened, angegriffen attacked, beschuss attack, unter under, ruhig quiet, normal normal, ungewoehnlich unusual, auffaellig unusual,
komisch weird, seltsam strange, schlimm bad, vorbei over-yet, noch still, jetzt now, gerade now, derzeit now, aktuell now, momentan now,
der the, die the, das the, dem the, den the, ein a, eine a, einen a, einem a, einer a, bericht report, ueber about, zum to, zur to, zu to, welcher which,
welche which, welches which, welchen which, host host, hosts hosts, seite site, allen all, alle all, vorherigen previous, vorher previous,
davor previous, sonst also, denn please, mal please, doch please, ich i, brauche need, moechte want, will want, kannst can, du you, datei file,
sql-injection sqli, sql-injektion sqli, einschleusung injection, insgesamt overall, kommen come, kamen came, woher where, grafik graph, diagramm chart,
greift attacking, greifen attacking, laeuft is, laufen is, dauert is
`;

const ENGLISH: ReadonlyMap<string, string> = new Map(
  TABLE.split(',').map((row) => {
    const [german = '', english = ''] = row.trim().split(' ');
    return [german, english.replace('-', ' ')] as const;
  }),
);

/** Words that English has too, with another meaning or the same. */
const SHARED = /^(was|will|tag|die|den|gab|mal|host|hosts|normal|stand|arten|los|war)$/;

const fold = (word: string): string =>
  word.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');

/** The words as English reads them, if some are clearly German. Times stay as typed. */
export function inEnglish(words: readonly Word[]): readonly Word[] {
  const bare = ({ lower, quoted }: Word): string => (quoted ? '' : fold(lower.replace(/[?!.,;:]+$/, '')));
  const isGerman = words.some((word) => ENGLISH.has(bare(word)) && !SHARED.test(bare(word)));
  if (!isGerman) return words;
  return words.map((word, at) => {
    const next = words[at + 1];
    if (bare(word) === 'im' && next !== undefined && bare(next) === 'vergleich') return { ...word, lower: 'also' };
    if (bare(word) === 'an') return { ...word, lower: next === undefined ? 'also' : 'to' };
    const english = ENGLISH.get(bare(word));
    // `gegen 14 Uhr` is a time, and `zu`, `der` may belong to one.
    const isBeforeNumber = /^\d/.test(words[at + 1]?.lower ?? '');
    if (english === undefined || (isBeforeNumber && /^(gegen|zu|zum|auf|fuer|bei|und)$/.test(bare(word)))) return word;
    if (english === 'compare' && bare(words[at - 1] ?? word) === 'im') return { ...word, lower: 'compared' };
    return { ...word, lower: english };
  });
}
