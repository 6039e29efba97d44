/** Slack's own date form: every reader sees it in their own zone; what stands after the bar is for mail and screen readers. */
import type { Range } from './range.ts';
import { clockWords, zoneWords } from './wording.ts';

/** `zone` is that of the text for readers whose program does not know the form. */
export function slackDate(instant: Temporal.Instant, zone = 'UTC'): string {
  const seconds = Math.floor(instant.epochMilliseconds / 1000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${fallback(instant, zone)}>`;
}

export const slackRange = ({ from, to }: Range, zone = 'UTC'): string =>
  `${slackDate(from, zone)} – ${slackDate(to, zone)}`;

function fallback(instant: Temporal.Instant, zone: string): string {
  const local = instant.toZonedDateTimeISO(zone);
  return `${local.toPlainDate()} ${clockWords(local.toPlainTime().round('second'))} ${zoneWords(zone, instant)}`;
}
