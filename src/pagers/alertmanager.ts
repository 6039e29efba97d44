/**
 * Alertmanager's API v2: one alert for each episode. Its labels are its identity, so they never change, and it ends by itself
 * unless it's sent again.
 */
import { MINUTE_MS } from '../time-units.ts';
import { channelLink, type EpisodePage, isoOf, type Pager } from './page.ts';
import { createPagerPeer } from './post-json.ts';

interface AlertmanagerOptions {
  readonly url: string;
  readonly giveUp: AbortSignal;
}

/** A bot that is down for longer can't tell whether the episode is still ongoing. */
const ENDS_AFTER_MS = 10 * MINUTE_MS;

export function createAlertmanager({ url, giveUp }: AlertmanagerOptions): Pager {
  const { post } = createPagerPeer({ url: `${url}/api/v2/alerts`, refusedWith: [400, 413, 422], giveUp });
  const send = (alert: object) => post(JSON.stringify([alert]));
  return {
    name: 'alertmanager',
    label: 'Alertmanager',
    forgets: true,
    send: (page, first, now) => send(alertOf(page, first, now.epochMilliseconds)),
    test(id, now) {
      const [startsAt, endsAt] = [now.toString(), now.add({ minutes: 1 }).toString()];
      const labels = { alertname: 'WafbotTest', episode: id };
      return send({ labels, annotations: { summary: 'Test alert from wafbot' }, startsAt, endsAt });
    },
  };
}

function alertOf(page: EpisodePage, first: EpisodePage, nowMs: number): object {
  const { key, channel, watch, kind, project, hosts, onsetMs } = first;
  const { summary, level, state, by } = page;
  const startsMs = Math.min(onsetMs, nowMs);
  // The times in the numbers may be ahead of this clock.
  const endedMs = Math.min(Math.max(page.endMs ?? page.atMs, startsMs), nowMs);
  return {
    // Not the level: an alert that gets worse would be another alert.
    labels: {
      ...{ alertname: 'WafEpisode', episode: key, kind, channel, watch },
      ...(hosts.length === 0 ? {} : { hosts: hosts.join(', ') }),
      ...(project === undefined ? {} : { project }),
    },
    annotations: { summary, level, state, ...(by === undefined ? {} : { acknowledged_by: by.name }) },
    startsAt: isoOf(startsMs),
    endsAt: isoOf(state === 'over' ? endedMs : nowMs + ENDS_AFTER_MS),
    generatorURL: channelLink(channel),
  };
}
