/** The calls that the bot made, to Slack and to the service, in the order in which they arrived. */
import type { CallLine } from '../page/index.ts';
import type { RecordedRequest, StatisticsService } from '../service/server.ts';
import type { Call, LocalSlack } from '../slack/index.ts';

const SHOWN = 60;
const HOUR_MS = 3_600_000;

const SERVICE_WORDS: Readonly<Record<number, string>> = {
  200: 'answered',
  201: 'issued',
  401: 'token refused',
  429: 'throttled',
  500: 'error',
};

export function createCallList(slack: LocalSlack, service: StatisticsService) {
  const order: (() => CallLine)[] = [];
  let fromSlack = 0;
  let fromService = 0;

  /** Takes up what has arrived since the last look. */
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
    order.splice(0, Math.max(0, order.length - SHOWN));
  }
  const unsubscribe = [slack.onChange(collect), service.onChange(collect)];
  collect();

  return {
    lines: (): readonly CallLine[] => order.map((line) => line()).reverse(),
    summary(): string {
      const questions = service.requests.filter(({ call }) => call === 'timeline' || call === 'distribution').length;
      const tokens = service.tokensIssued();
      const posts = slack.calls().length;
      return `${many(questions, 'question')} to the service with ${many(tokens, 'token')}, ${many(posts, 'call')} to Slack since the bot started. What two people ask at once is asked once.`;
    },
    stop() {
      for (const end of unsubscribe) end();
    },
  };
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function slackLine(id: string, call: Call, slack: LocalSlack): CallLine {
  const { method, args, atMs, status, reply, fault, tookMs } = call;
  const channel = slack.channels().find((one) => one.id === args.channel);
  const where = channel === undefined ? '' : channel.kind === 'im' ? ' (direct)' : ` #${channel.name}`;
  const error = typeof reply?.error === 'string' ? reply.error.replaceAll('_', ' ') : undefined;
  const failed = fault !== undefined || error !== undefined || (status ?? 200) >= 400;
  const outcome = tookMs === undefined ? 'under way' : (fault?.replaceAll('_', ' ') ?? error ?? 'ok');
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
      ? 'a token'
      : isList
        ? `a list of ${call}`
        : `${call}, ${length}${hosts.length === 0 ? '' : `, ${hosts.join(', ')}`}`;
  const failed = tookMs !== undefined && (status === 0 || status >= 400);
  const outcome =
    tookMs === undefined ? 'under way' : status === 0 ? 'cut off' : (SERVICE_WORDS[status] ?? `${status}`);
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
