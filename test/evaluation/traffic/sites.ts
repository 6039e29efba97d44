/**
 * The sites whose traffic is generated, from one attack in twenty minutes to hundreds a minute. What makes them hard is
 * how their attacks come: in sessions of single scanners, in uneven minutes, in moods that last for hours.
 */
export interface Site {
  readonly name: string;
  /** A minute, on average. */
  readonly visitors: number;
  readonly attacks: number;
  /** How far the day rises and falls: 0 is flat, 1 about sevenfold between night and noon. */
  readonly day: number;
  /** The weekend as a multiple of a working day. */
  readonly weekend: number;
  /** Standard deviation of the moods (logarithmic), and how many hours they last. */
  readonly mood: number;
  readonly moodHours: number;
  /** Shape of the gamma distribution of single minutes: the smaller, the wilder. */
  readonly evenness: number;
  /** The share of attacks that comes in sessions of one scanner each. */
  readonly sessions: number;
  /** Whether its steps stray like those of real attack logs. */
  readonly bursty: boolean;
  /** Weights of the categories. */
  readonly mix: Readonly<Record<string, number>>;
}

const WEB = { xss: 3, sqli: 5, cmdi: 1, cc: 2, custom: 2, illegal: 4, lfi: 2, robot: 6, vuln: 4, whiteblackip: 3 };
const API = { sqli: 3, cmdi: 2, cc: 6, custom: 5, illegal: 8, vuln: 2, whiteblackip: 6 };
const BLOG = { xss: 4, sqli: 4, lfi: 3, rfi: 1, robot: 10, vuln: 5, webshell: 1, antitamper: 0.2 };

export const SITES: readonly Site[] = [
  {
    name: 'even api',
    visitors: 600,
    attacks: 12,
    day: 0.25,
    weekend: 1,
    mood: 0.06,
    moodHours: 6,
    evenness: 30,
    sessions: 0.02,
    bursty: false,
    mix: API,
  },
  {
    name: 'shop',
    visitors: 900,
    attacks: 20,
    day: 0.9,
    weekend: 1.15,
    mood: 0.12,
    moodHours: 5,
    evenness: 8,
    sessions: 0.1,
    bursty: true,
    mix: WEB,
  },
  {
    name: 'blog',
    visitors: 40,
    attacks: 0.8,
    day: 0.5,
    weekend: 0.9,
    mood: 0.2,
    moodHours: 4,
    evenness: 4,
    sessions: 0.2,
    bursty: true,
    mix: BLOG,
  },
  {
    name: 'admin',
    visitors: 4,
    attacks: 0.05,
    day: 0.8,
    weekend: 0.4,
    mood: 0.2,
    moodHours: 6,
    evenness: 5,
    sessions: 0.2,
    bursty: true,
    mix: { sqli: 2, custom: 3, illegal: 3, vuln: 2, whiteblackip: 4 },
  },
  {
    name: 'project',
    visitors: 3_000,
    attacks: 110,
    day: 0.7,
    weekend: 0.8,
    mood: 0.1,
    moodHours: 6,
    evenness: 15,
    sessions: 0.08,
    bursty: true,
    mix: WEB,
  },
  {
    name: 'large project',
    visitors: 20_000,
    attacks: 700,
    day: 0.8,
    weekend: 0.9,
    mood: 0.1,
    moodHours: 6,
    evenness: 25,
    sessions: 0.06,
    bursty: true,
    mix: WEB,
  },
  {
    name: 'flat with scanners',
    visitors: 200,
    attacks: 8,
    day: 0,
    weekend: 1,
    mood: 0.1,
    moodHours: 4,
    evenness: 10,
    sessions: 0.15,
    bursty: true,
    mix: API,
  },
  {
    name: 'scanner heaven',
    visitors: 300,
    attacks: 15,
    day: 0.4,
    weekend: 0.95,
    mood: 0.2,
    moodHours: 3,
    evenness: 3,
    sessions: 0.35,
    bursty: true,
    mix: WEB,
  },
  {
    name: 'office',
    visitors: 500,
    attacks: 6,
    day: 1.1,
    weekend: 0.25,
    mood: 0.12,
    moodHours: 4,
    evenness: 6,
    sessions: 0.15,
    bursty: true,
    mix: { ...WEB, webshell: 0.5, geoip: 2 },
  },
  {
    name: 'forum',
    visitors: 150,
    attacks: 3,
    day: 0.6,
    weekend: 1.1,
    mood: 0.3,
    moodHours: 5,
    evenness: 4,
    sessions: 0.25,
    bursty: true,
    mix: BLOG,
  },
];
