/** Which hosts a rise is on, in words and as a table: the same wherever an episode is described. */
import type { ExcessByHost, HostCount, HostShare, LeadingHost, UnknownHost } from '../episodes/which-host.ts';
import { formatCount, formatShare } from '../statistics/format.ts';
import { wholeShares } from './episode-lines.ts';
import type { Table } from './reply.ts';

/** `on shop (98 % of the excess)`, `mostly shop (71 %) and blog (22 %)`; nothing if it's spread or unknown. */
export function hostWords(found: ExcessByHost | null): string | null {
  if (found?.is !== 'known') return null;
  const leading = found.leading.map(({ host, share }) => ({ ...host, share }));
  return leadingHostWords(leading, found.of);
}

/** The same from names and shares. */
export function leadingHostWords(
  [first, second]: readonly LeadingHost[],
  of: 'excess' | 'events' = 'excess',
): string | null {
  if (first === undefined) return null;
  const { name, share } = first;
  if (second !== undefined) return `mostly ${pairWords([first, second])}`;
  return `${share < MOSTLY_BELOW ? 'mostly ' : 'on '}${name} (${wholePercent(share)} of the ${of})`;
}

/** `shop (71 %) and blog (22 %)` */
export function pairWords([first, second]: readonly [LeadingHost, LeadingHost]): string {
  const [one, other] = percentsOf([first.share, second.share]);
  return `${first.name} (${one}) and ${second.name} (${other})`;
}

export const wholePercent = (share: number): string => percentsOf([share])[0] ?? '';

/** In whole percent, the largest first, so that text and table agree and never add up to more than 100 %. */
function percentsOf(shares: readonly number[]): string[] {
  let left = 100;
  return shares.map((share) => {
    const percent = Math.min(left, Math.round(share * 100));
    left -= percent;
    return formatShare(percent / 100);
  });
}

/** A smaller share leaves room for others. */
const MOSTLY_BELOW = 0.8;

export const MAX_HOSTS_IN_WORDS = 5;

/** `shop 2,050 (380 expected), blog 80 (60)`; of the events of a category `shop 40, blog 1`. */
export function hostCountWords(hosts: readonly HostCount[], of: 'excess' | 'events' = 'excess'): string {
  const expected = expectedOf(hosts);
  return hosts
    .slice(0, MAX_HOSTS_IN_WORDS)
    .map(({ host, observed }, at) => {
      const usually = of === 'events' ? '' : ` (${formatCount(expected[at] ?? 0)}${at === 0 ? ' expected' : ''})`;
      return `${host.name} ${formatCount(observed)}${usually}`;
    })
    .join(', ');
}

/** Rounded so that those of all hosts add up to what a check says. */
const expectedOf = (hosts: readonly HostCount[]): number[] => wholeShares(hosts.map(({ expected }) => expected));

/** The share is left out if there is no excess to have a share of. */
export function hostTable(hosts: readonly (HostCount | HostShare)[], shown = hosts.length): Table {
  const hasShares = hosts.some((host) => 'share' in host);
  const shares = percentsOf(hosts.map((host) => ('share' in host ? host.share : 0)));
  const expected = expectedOf(hosts);
  return {
    columns: [
      { name: 'Host', align: 'left' },
      { name: 'Attacks', align: 'right' },
      { name: 'Expected', align: 'right' },
      ...(hasShares ? [{ name: 'Share of the excess', align: 'right' } as const] : []),
    ],
    rows: hosts
      .slice(0, shown)
      .map((host, at) => [
        host.host.name,
        formatCount(host.observed),
        formatCount(expected[at] ?? 0),
        ...(hasShares ? [shares[at] ?? ''] : []),
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
