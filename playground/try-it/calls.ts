/** The bot's calls to Slack and to the service, in order of arrival. */
import type { CallLine } from '../page/index.ts';
import { STATISTICS_CALLS } from '../service/faults.ts';
import type { RecordedRequest, StatisticsService } from '../service/server.ts';
import type { Call, LocalSlack } from '../slack/index.ts';

const MAX_LINES = 60;
const HOUR_MS = 3_600_000;

const SERVICE_WORDS: Readonly<Record<number, string>> = {
  200: 'ok',
  201: 'issued',
  401: 'token rejected',
  429: 'throttled',
  500: 'error',
};

export function createCallList(slack: LocalSlack, service: StatisticsService) {
  const order: (() => CallLine)[] = [];
  let fromSlack = 0;
  let fromService = 0;

  /** Adds what arrived since the last time. */
  function collect(): void {
    const calls = slack.calls();
    for (; fromSlack < calls.length; fromSlack++) {
      const call = calls[fromSlack];
      const id = `slack-${fromSlack}`;
      if (call !== undefined) order.push(() => slackLine(id, call, slack));
    }
    for (; fromService < service.requests.length; fromService++) {
      const request = service.requests[fromService];
      const id = `service-${fromService}`;
      if (request?.call !== undefined) order.push(() => serviceLine(id, request, service));
    }
    order.splice(0, Math.max(0, order.length - MAX_LINES));
  }
  const unsubscribe = [slack.onChange(collect), service.onChange(collect)];
  collect();

  return {
    lines: (): readonly CallLine[] => order.map((line) => line()).reverse(),
    summary(): string {
      const queries = service.requests.filter(
        ({ call }) => call !== undefined && STATISTICS_CALLS.includes(call),
      ).length;
      const tokens = service.tokensIssued();
      const posts = slack.calls().length;
      return `Since it started, the bot has sent ${plural(queries, 'query', 'queries')} to the service with ${plural(tokens, 'token')} and made ${plural(posts, 'call')} to Slack. Identical queries are shared.`;
    },
    stop() {
      for (const end of unsubscribe) end();
    },
  };
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function slackLine(id: string, call: Call, slack: LocalSlack): CallLine {
  const { method, args, atMs, status, reply, fault, tookMs } = call;
  const channel = slack.channels().find((one) => one.id === args.channel);
  const where = channel === undefined ? '' : channel.kind === 'im' ? ' (direct)' : ` #${channel.name}`;
  const error = typeof reply?.error === 'string' ? reply.error.replaceAll('_', ' ') : undefined;
  const failed = fault !== undefined || error !== undefined || (status ?? 200) >= 400;
  const outcome = tookMs === undefined ? 'pending' : (fault?.replaceAll('_', ' ') ?? error ?? 'ok');
  return { id, atMs, peer: 'Slack', what: `${method}${where}`, outcome, tone: tone(tookMs, failed), tookMs };
}

function serviceLine(id: string, request: RecordedRequest, service: StatisticsService): CallLine {
  const { call, search, status, atMs, tookMs } = request;
  const hours = (Number(search.get('to')) - Number(search.get('from'))) / HOUR_MS;
  const length = hours >= 48 ? `${Math.round(hours / 24)} d` : hours >= 1 ? `${Math.round(hours)} h` : '< 1 h';
  const hosts = search.getAll('hosts').map((host) => service.hosts.find((one) => one.id === host)?.name ?? host);
  const isList = call === 'cloud hosts' || call === 'dedicated hosts';
  const what =
    call === 'token'
      ? 'new token'
      : isList
        ? `list of ${call}`
        : `${call}, ${length}${hosts.length === 0 ? '' : `, ${hosts.join(', ')}`}`;
  const failed = tookMs !== undefined && (status === 0 || status >= 400);
  const outcome =
    tookMs === undefined ? 'pending' : status === 0 ? 'connection lost' : (SERVICE_WORDS[status] ?? `${status}`);
  return {
    id,
    atMs,
    peer: call === 'token' ? 'Identity' : 'Service',
    what,
    outcome,
    tone: tone(tookMs, failed),
    tookMs,
  };
}

const tone = (tookMs: number | undefined, failed: boolean): CallLine['tone'] =>
  tookMs === undefined ? 'open' : failed ? 'bad' : 'good';
