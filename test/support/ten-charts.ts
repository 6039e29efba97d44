/** Ten nights of one site, each with the verdict that the rule gives: a picture for the docs and a test. */
import { natureOf } from '../../src/episodes/episode.ts';
import { at, DAY_MS, type Happening, MINUTE_MS, recordedSite } from '../unit/episodes/recorded-site.ts';

interface Chart {
  readonly title: string;
  readonly happenings: readonly Happening[];
  /** `calm`, or what is found, in order. */
  readonly verdict: string;
}

const span = (from: string, to: string) => ({ fromMs: at(from), toMs: at(to) });
const scan = (days: number): Happening => ({
  fromMs: at('03:00') - days * DAY_MS,
  toMs: at('03:30') - days * DAY_MS,
  more: { sqli: 40 },
});

export const TEN_CHARTS: readonly Chart[] = [
  { title: 'An ordinary night', happenings: [], verdict: 'calm' },
  {
    title: 'A fifth more for two hours',
    happenings: [{ ...span('03:00', '05:00'), more: { cc: 2 } }],
    verdict: 'calm',
  },
  {
    title: 'Twice the usual for 40 minutes',
    happenings: [{ ...span('03:00', '03:40'), more: { cc: 10 } }],
    verdict: 'rise',
  },
  {
    title: 'Seven times the usual for 20 minutes',
    happenings: [{ ...span('03:00', '03:20'), more: { sqli: 60 } }],
    verdict: 'surge',
  },
  {
    title: '1.7 times the usual for four hours',
    happenings: [{ ...span('03:00', '07:00'), more: { xss: 7 } }],
    verdict: 'rise',
  },
  { title: 'A scan that comes every week', happenings: [0, 7, 14, 21, 28].map(scan), verdict: 'calm' },
  {
    title: '2.5 times the visitors, and their share of attacks',
    happenings: [{ ...span('02:00', '05:00'), visitors: 2.5, more: { cc: 12 } }],
    verdict: 'calm',
  },
  {
    title: 'All become a new category, as many as ever',
    happenings: [{ ...span('03:00', '04:00'), turnsInto: 'rfi' }],
    verdict: 'category',
  },
  {
    title: 'No attacks for 40 minutes, visitors as ever',
    happenings: [{ ...span('03:00', '03:40'), instead: { requests: 990, attacks: 0 } }],
    verdict: 'attacks gone',
  },
  {
    title: 'Nobody for 30 minutes',
    happenings: [{ ...span('03:00', '03:30'), instead: { requests: 0, attacks: 0 } }],
    verdict: 'visitors gone',
  },
];

const NAMES = { rise: 'rise', mix: 'category', attacks: 'attacks gone', requests: 'visitors gone' } as const;

/** What the rule finds in a chart. */
export async function verdictOn({ happenings }: Chart): Promise<string> {
  const { episodes } = await recordedSite(happenings).within(at('00:00'), at('09:00'));
  const found = episodes.map((episode) => (episode.worst === 'surge' ? 'surge' : NAMES[natureOf(episode)]));
  return found.length === 0 ? 'calm' : found.join(', ');
}

const [WIDTH, HEIGHT, PANEL] = [900, 1_000, { width: 430, height: 180 }];
const BAR_MS = 10 * MINUTE_MS;
/** Attacks in ten minutes at the top of a panel. */
const TOP = 720;

/** Attacks by ten minutes from 01:00 to 08:00; the line is the usual level. */
function panel({ title, happenings, verdict }: Chart, index: number): string {
  const site = recordedSite(happenings);
  const [left, top] = [10 + (index % 2) * (PANEL.width + 20), 10 + Math.floor(index / 2) * (PANEL.height + 18)];
  const bars = Array.from({ length: 42 }, (_, bar) => {
    const fromMs = at('01:00') + bar * BAR_MS;
    // A square root, so that the usual level and a flood fit into one picture.
    const high = (Math.sqrt(site.count(fromMs, fromMs + BAR_MS) / TOP) * 130).toFixed(1);
    const own = happenings.some(
      ({ turnsInto }) => turnsInto !== undefined && site.count(fromMs, fromMs + BAR_MS, turnsInto) > 0,
    );
    return `<rect x="${left + bar * 10}" y="${(top + 155 - Number(high)).toFixed(1)}" width="8" height="${high}" fill="${own ? '#d9730d' : '#4a7bd0'}"/>`;
  });
  const line = (top + 155 - Math.sqrt(100 / TOP) * 130).toFixed(1);
  return [
    `<text x="${left}" y="${top + 12}" font-weight="600">${index + 1}. ${title}</text>`,
    `<text x="${left + 420}" y="${top + 12}" text-anchor="end" fill="${verdict === 'calm' ? '#5a6472' : '#b42318'}">${verdict}</text>`,
    ...bars,
    `<line x1="${left}" x2="${left + 420}" y1="${line}" y2="${line}" stroke="#22262d" stroke-dasharray="4 3"/>`,
    `<text x="${left}" y="${top + 171}" fill="#5a6472">01:00</text>`,
    `<text x="${left + 420}" y="${top + 171}" text-anchor="end" fill="#5a6472">08:00</text>`,
  ].join('\n');
}

export const tenCharts =
  (): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13">
<title>Ten nights of one site and the verdict on each</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${TEN_CHARTS.map(panel).join('\n')}
</svg>
`;
