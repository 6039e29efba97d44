/** Which hosts a rise is on, in words and as a table: the same wherever an episode is described. */
import type { ExcessByHost, HostCount, HostShare, LeadingHost, UnknownHost } from '../episodes/which-host.ts';
import { formatCount, formatShare } from '../statistics/format.ts';
import type { Table } from './reply.ts';

/** `on shop (98 % of the excess)`, `mostly shop (71 %) and blog (22 %)`; nothing if it's spread or unknown. */
export function hostWords(found: ExcessByHost | null): string | null {
  return leadingHostWords(found?.is === 'known' ? found.leading.map(({ host, share }) => ({ ...host, share })) : []);
}

/** The same from names and shares. */
export function leadingHostWords([first, second]: readonly LeadingHost[]): string | null {
  if (first === undefined) return null;
  const { name, share } = first;
  if (second !== undefined)
    return `mostly ${name} (${formatShare(share)}) and ${second.name} (${formatShare(second.share)})`;
  return `${share < MOSTLY_BELOW ? 'mostly ' : 'on '}${name} (${formatShare(share)} of the excess)`;
}

/** A smaller share leaves room for others. */
const MOSTLY_BELOW = 0.8;

export const MAX_HOSTS_IN_WORDS = 5;

/** `shop 2,050 (380 expected), blog 80 (60)` */
export function hostCountWords(hosts: readonly HostCount[]): string {
  return hosts
    .slice(0, MAX_HOSTS_IN_WORDS)
    .map(({ host, observed, expected }, at) => {
      const usually = `${formatCount(expected)}${at === 0 ? ' expected' : ''}`;
      return `${host.name} ${formatCount(observed)} (${usually})`;
    })
    .join(', ');
}

/** The share is left out if there is no excess to have a share of. */
export function hostTable(hosts: readonly (HostCount | HostShare)[]): Table {
  const hasShares = hosts.some((host) => 'share' in host);
  const shareOf = (host: HostCount | HostShare): string => ('share' in host ? formatShare(host.share) : '–');
  return {
    columns: [
      { name: 'Host', align: 'left' },
      { name: 'Attacks', align: 'right' },
      { name: 'Expected', align: 'right' },
      ...(hasShares ? [{ name: 'Share of the excess', align: 'right' } as const] : []),
    ],
    rows: hosts.map((host) => [
      host.host.name,
      formatCount(host.observed),
      formatCount(host.expected),
      ...(hasShares ? [shareOf(host)] : []),
    ]),
  };
}

/** Why it's unknown, as a sentence. */
export const UNKNOWN_HOST: Readonly<Record<UnknownHost, string>> = {
  one_host: 'There is only one host to choose from.',
  not_listed: "The hosts I know don't account for these attacks. Add the missing ones with hosts add.",
  no_ranking: "There are more than 20 hosts, and this service doesn't say which are the busiest. Name some with on.",
  no_answer: "The service didn't answer for every host.",
  no_excess: "There aren't more attacks than expected.",
};
