/** The context line of replies and charts: whose numbers, from when to when, and in which time zone. */
import { offsetsInWords, windowInWords } from '../../time/index.ts';

interface LabelledSubject {
  /** Set if there are several. */
  readonly project?: string | undefined;
  readonly hosts: readonly string[];
  readonly window: string | null;
  readonly zone: string;
}

/** `project eu · all hosts · Tue 10 Mar 14:30–15:30 · Europe/Stockholm (UTC+1)`. */
export function subjectLine(
  { project, hosts, window, zone }: LabelledSubject,
  { fromMs, toMs, asOfMs }: { fromMs: number; toMs: number; asOfMs?: number },
): string {
  return [
    ...(project === undefined ? [] : [`project ${project}`]),
    hostsInWords(hosts),
    window ?? windowInWords(fromMs, toMs, zone, asOfMs),
    zoneInWords(fromMs, toMs, zone),
  ].join(' · ');
}

const MAX_HOSTS = 3;

function hostsInWords(hosts: readonly string[]): string {
  if (hosts.length === 0) return 'all hosts';
  const more = hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more` : '';
  return `${hosts.slice(0, MAX_HOSTS).join(', ')}${more}`;
}

/** `Europe/Berlin (UTC+1)` */
function zoneInWords(fromMs: number, toMs: number, zone: string): string {
  return zone === 'UTC' ? 'UTC' : `${zone} (${offsetsInWords(fromMs, toMs, zone)})`;
}
