/** PagerDuty's Events API v2: one incident for each episode. */
import type { Secret } from '../secret.ts';
import { channelLink, type EpisodePage, isoOf, type PageLevel, type Pager } from './page.ts';
import { createPagerPeer } from './post-json.ts';

interface PagerDutyOptions {
  readonly url: string;
  readonly routingKey: Secret;
  readonly giveUp: AbortSignal;
}

const SEVERITIES: Readonly<Record<PageLevel, string>> = { elevated: 'warning', surge: 'critical' };
const MAX_SUMMARY_LENGTH = 1_024;

export function createPagerDuty({ url, routingKey, giveUp }: PagerDutyOptions): Pager {
  const { post } = createPagerPeer({ url: `${url}/v2/enqueue`, refusedWith: [400], giveUp });
  const send = (event: object) => post(JSON.stringify({ routing_key: routingKey.reveal(), ...event }));
  return {
    name: 'pagerduty',
    label: 'PagerDuty',
    async send(page) {
      const { key: dedup_key, state, by } = page;
      if (state === 'over') return send({ event_action: 'resolve', dedup_key });
      if (state !== 'acknowledged') return send({ event_action: 'trigger', dedup_key, ...triggerOf(page) });
      // PagerDuty knows what was acknowledged there.
      return by?.via === 'pagerduty' ? { is: 'sent' } : send({ event_action: 'acknowledge', dedup_key });
    },
    async test(dedup_key) {
      const payload = { summary: 'Test event from wafbot', source: 'wafbot', severity: 'info' };
      const triggered = await send({ event_action: 'trigger', dedup_key, payload });
      return triggered.is === 'sent' ? send({ event_action: 'resolve', dedup_key }) : triggered;
    },
  };
}

function triggerOf(page: EpisodePage): object {
  const { summary, hosts, level, onsetMs, kind, project, channel, watch, total, expected, categories, state } = page;
  return {
    payload: {
      summary: summary.length > MAX_SUMMARY_LENGTH ? `${summary.slice(0, MAX_SUMMARY_LENGTH - 1)}…` : summary,
      source: hosts.length === 0 ? 'all hosts' : hosts.join(', '),
      severity: SEVERITIES[level],
      timestamp: isoOf(onsetMs),
      class: kind,
      ...(project === undefined ? {} : { group: project }),
      custom_details: { state, level, count: total, expected, categories, channel, watch },
    },
    client: 'wafbot',
    links: [{ href: channelLink(channel), text: 'Channel in Slack' }],
  };
}
