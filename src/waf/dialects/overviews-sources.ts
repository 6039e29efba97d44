/** Attack sources in the overviews dialect: the largest of every kind, or only the addresses if that is all there is. */
import { BotError } from '../../errors.ts';
import type { NamedSources, ShowAddresses } from '../../statistics/attack-sources.ts';
import type { QueryWindow } from '../wire/exchange.ts';
import { readAddresses, readSources } from '../wire/source-items.ts';
import { noSources } from './dialect.ts';
import { ATTACK_SOURCE_PATH } from './events.ts';
import { CLASSIFICATION } from './overviews-categories.ts';
import { isRefusedWindow, type OverviewsService } from './overviews-service.ts';
import { holdingWindow, sameFixedWindow } from './overviews-windows.ts';

const TOP = [['top', '10']] as const;

export function createOverviewSources({ ask, unlessMissing, traits, now }: OverviewsService, show: ShowAddresses) {
  return async function sources(window: QueryWindow, signal: AbortSignal): Promise<NamedSources> {
    const { windows, hosts } = await traits.load();
    if (windows === 'fixed' && sameFixedWindow(window, now()) === undefined) throw onlyFixedWindows();
    if (hosts === 'apart' && window.hosts.length > 1) throw oneHost();
    try {
      const all = await unlessMissing(CLASSIFICATION, () => ask(CLASSIFICATION, window, signal, { more: TOP }));
      if (all !== null) return readSources(all, show);
      const addresses = await unlessMissing(ATTACK_SOURCE_PATH, () => ask(ATTACK_SOURCE_PATH, window, signal));
      if (addresses === null) throw noSources();
      return readAddresses(addresses, show);
    } catch (error) {
      throw isRefusedWindow(error) && holdingWindow(window, now()) !== undefined ? onlyFixedWindows() : error;
    }
  };
}

const onlyFixedWindows = () =>
  new BotError(
    'limit',
    'The service shows who attacks only for whole days in UTC: today, yesterday, or the last 3, 7 or 30.',
    {
      reason: { is: 'window_not_offered' },
    },
  );

const oneHost = () =>
  new BotError('limit', 'The service shows who attacks for one host at a time, or for all of them.', {
    hint: 'Name one host, or none.',
  });
