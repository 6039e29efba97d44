/** The settings of pagers: who gets alerts besides the channel, and where PagerDuty sends acknowledgments. */
import { Secret } from '../secret.ts';
import type { Name, Values } from './fields.ts';

/** Who else gets a watch's alerts. */
export interface PagersConfig {
  readonly pagerduty: { readonly url: string; readonly routingKey: Secret } | null;
  readonly alertmanager: { readonly url: string } | null;
  readonly webhook: { readonly url: string; readonly secret: Secret } | null;
  /** The lowest level that pages. */
  readonly from: 'elevated' | 'surge';
  /** Where PagerDuty sends acknowledgments; `null` if it doesn't. */
  readonly acknowledgments: { readonly host: string; readonly port: number; readonly secret: Secret } | null;
}

const DEFAULT_WEBHOOK_PORT = 3003;
const LOOPBACK = '127.0.0.1';
const PAGERDUTY_URL = 'https://events.pagerduty.com';

export function readPagers(values: Values, taken: readonly number[], faults: string[]): PagersConfig | null {
  const { WAFBOT_PAGERDUTY_ROUTING_KEY: routingKey, WAFBOT_ALERTMANAGER_URL: alertmanager } = values;
  const { WAFBOT_WEBHOOK_URL: webhook, WAFBOT_WEBHOOK_SECRET: secret } = values;
  const isFaulty = (name: Name): boolean => faults.some((fault) => fault.startsWith(name));
  const needs = (name: Name, other: Name, why: string): void => {
    if (values[name] !== undefined && values[other] === undefined && !isFaulty(other))
      faults.push(`${other} is missing; ${why}, so set it or remove ${name}.`);
  };
  needs('WAFBOT_WEBHOOK_URL', 'WAFBOT_WEBHOOK_SECRET', 'webhooks are signed with it');
  needs('WAFBOT_WEBHOOK_SECRET', 'WAFBOT_WEBHOOK_URL', 'webhooks are sent there');
  needs('WAFBOT_PAGERDUTY_URL', 'WAFBOT_PAGERDUTY_ROUTING_KEY', 'PagerDuty needs it');
  needs('WAFBOT_PAGERDUTY_WEBHOOK_SECRET', 'WAFBOT_PAGERDUTY_ROUTING_KEY', 'only incidents of wafbot are acknowledged');
  needs('WAFBOT_PAGERDUTY_WEBHOOK_PORT', 'WAFBOT_PAGERDUTY_WEBHOOK_SECRET', "PagerDuty's requests are checked with it");
  const isPaging = [routingKey, alertmanager, webhook].some((value) => value !== undefined);
  if (!isPaging) {
    const isWrong = ['WAFBOT_PAGERDUTY_ROUTING_KEY', 'WAFBOT_ALERTMANAGER_URL', 'WAFBOT_WEBHOOK_URL'] as const;
    if (values.WAFBOT_PAGE_FROM !== undefined && !isWrong.some(isFaulty))
      faults.push('WAFBOT_PAGE_FROM needs a pager: set one, or remove it.');
    return null;
  }
  return {
    pagerduty:
      routingKey === undefined
        ? null
        : { url: values.WAFBOT_PAGERDUTY_URL ?? PAGERDUTY_URL, routingKey: new Secret(routingKey) },
    alertmanager: alertmanager === undefined ? null : { url: alertmanager },
    webhook: webhook === undefined || secret === undefined ? null : { url: webhook, secret: new Secret(secret) },
    from: values.WAFBOT_PAGE_FROM ?? 'elevated',
    acknowledgments: readAcknowledgments(values, taken, faults),
  };
}

function readAcknowledgments(
  values: Values,
  taken: readonly number[],
  faults: string[],
): PagersConfig['acknowledgments'] {
  const { WAFBOT_PAGERDUTY_WEBHOOK_SECRET: secret, WAFBOT_PAGERDUTY_WEBHOOK_PORT: listenOn } = values;
  if (secret === undefined) return null;
  const { host = LOOPBACK, port } = listenOn ?? { port: DEFAULT_WEBHOOK_PORT };
  if (port !== 0 && taken.includes(port))
    faults.push(`WAFBOT_PAGERDUTY_WEBHOOK_PORT must differ from the other ports (${port} is taken); set another port.`);
  return { host, port, secret: new Secret(secret) };
}

/** The address of a webhook may itself be a secret. */
export function pagerLines(pagers: PagersConfig | null): string[] {
  if (pagers === null) return ['Pagers: none'];
  const { pagerduty, alertmanager, webhook, from, acknowledgments } = pagers;
  return [
    ...(pagerduty === null ? [] : [`PagerDuty: ${pagerduty.url}, routing key [redacted]`]),
    ...(alertmanager === null ? [] : [`WAFBOT_ALERTMANAGER_URL=${alertmanager.url}`]),
    ...(webhook === null ? [] : [`Webhook: ${URL.parse(webhook.url)?.host}, secret [redacted]`]),
    `WAFBOT_PAGE_FROM=${from}`,
    ...(acknowledgments === null
      ? []
      : [`PagerDuty webhooks: ${acknowledgments.host}:${acknowledgments.port}, secret [redacted]`]),
  ];
}
