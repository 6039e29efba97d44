/**
 * The abbreviations that are understood, as fixed offsets: `14:00 CET` is +01:00 in July too, because that is what was
 * written. Those that several countries share mean the reading most common in English: CST and EST are American, IST is
 * Indian, BST British summer time. The four without season (ET, CT, MT, PT) follow their city.
 */
export const ZONE_ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ['utc', 'UTC'],
  ['gmt', 'UTC'],
  ['z', 'UTC'],
  ['wet', '+00:00'],
  ['bst', '+01:00'],
  ['cet', '+01:00'],
  ['cest', '+02:00'],
  ['eet', '+02:00'],
  ['eest', '+03:00'],
  ['sast', '+02:00'],
  ['msk', '+03:00'],
  ['trt', '+03:00'],
  ['gst', '+04:00'],
  ['pkt', '+05:00'],
  ['ist', '+05:30'],
  ['npt', '+05:45'],
  ['ict', '+07:00'],
  ['wib', '+07:00'],
  ['sgt', '+08:00'],
  ['hkt', '+08:00'],
  ['pht', '+08:00'],
  ['awst', '+08:00'],
  ['jst', '+09:00'],
  ['kst', '+09:00'],
  ['acst', '+09:30'],
  ['acdt', '+10:30'],
  ['aest', '+10:00'],
  ['aedt', '+11:00'],
  ['nzst', '+12:00'],
  ['nzdt', '+13:00'],
  ['nst', '-03:30'],
  ['ndt', '-02:30'],
  ['brt', '-03:00'],
  ['ast', '-04:00'],
  ['adt', '-03:00'],
  ['est', '-05:00'],
  ['edt', '-04:00'],
  ['cst', '-06:00'],
  ['cdt', '-05:00'],
  ['mst', '-07:00'],
  ['mdt', '-06:00'],
  ['pst', '-08:00'],
  ['pdt', '-07:00'],
  ['akst', '-09:00'],
  ['akdt', '-08:00'],
  ['hst', '-10:00'],
  ['et', 'America/New_York'],
  ['ct', 'America/Chicago'],
  ['mt', 'America/Denver'],
  ['pt', 'America/Los_Angeles'],
  ['eastern', 'America/New_York'],
  ['pacific', 'America/Los_Angeles'],
]);

/** The abbreviation for an offset, where exactly one is in common use in that zone. */
export function abbreviationFor(zone: string, offset: string): string | null {
  const family = FAMILIES.find(([zones]) => zones.test(zone));
  const name = family?.[1].find((abbreviation) => ZONE_ABBREVIATIONS.get(abbreviation.toLowerCase()) === offset);
  return name ?? null;
}

const CENTRAL_EUROPE =
  /^(?:Europe\/(?:Amsterdam|Andorra|Belgrade|Berlin|Bratislava|Brussels|Budapest|Copenhagen|Ljubljana|Luxembourg|Madrid|Malta|Monaco|Oslo|Paris|Podgorica|Prague|Rome|San_Marino|Sarajevo|Skopje|Stockholm|Tirane|Vaduz|Vatican|Vienna|Warsaw|Zagreb|Zurich)|CET)$/;

const FAMILIES: readonly (readonly [RegExp, readonly string[]])[] = [
  [CENTRAL_EUROPE, ['CET', 'CEST']],
  [/^Europe\/(?:Athens|Bucharest|Helsinki|Kiev|Kyiv|Riga|Sofia|Tallinn|Vilnius)$/, ['EET', 'EEST']],
  [/^Europe\/London$/, ['BST']],
  [/^America\/(?:New_York|Detroit|Toronto)$/, ['EST', 'EDT']],
  [/^America\/(?:Chicago|Winnipeg)$/, ['CST', 'CDT']],
  [/^America\/(?:Denver|Boise|Edmonton|Phoenix)$/, ['MST', 'MDT']],
  [/^America\/(?:Los_Angeles|Vancouver)$/, ['PST', 'PDT']],
  [/^America\/(?:Anchorage)$/, ['AKST', 'AKDT']],
  [/^America\/(?:Halifax)$/, ['AST', 'ADT']],
  [/^America\/St_Johns$/, ['NST', 'NDT']],
  [/^Pacific\/Honolulu$/, ['HST']],
  [/^Asia\/(?:Kolkata|Calcutta)$/, ['IST']],
  [/^Asia\/Tokyo$/, ['JST']],
  [/^Asia\/Seoul$/, ['KST']],
  [/^Asia\/Singapore$/, ['SGT']],
  [/^Asia\/Hong_Kong$/, ['HKT']],
  [/^Australia\/(?:Sydney|Melbourne|Hobart|Brisbane)$/, ['AEST', 'AEDT']],
  [/^Australia\/(?:Adelaide|Darwin)$/, ['ACST', 'ACDT']],
  [/^Australia\/Perth$/, ['AWST']],
  [/^Pacific\/Auckland$/, ['NZST', 'NZDT']],
];
