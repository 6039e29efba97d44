/** Reads the body and headers of an error reply. The body comes in three shapes. */
import { isRecord, parseJson } from '../../untrusted-input.ts';

interface ErrorBody {
  /** As the service wrote it, for the log. */
  readonly code: string | undefined;
  /** The code for the rules: the gateway has two prefixes for the same four digits. */
  readonly key: string;
  readonly message: string;
  readonly requestId: string | undefined;
}

const GATEWAY_CODE = /^APIGW?\.(\d{4})$/;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** `data` is parsed JSON or text, as ky read it. */
export function readErrorBody(data: unknown): ErrorBody {
  const parsed = typeof data === 'string' ? parseJson(data) : data;
  const outer = isRecord(parsed) ? parsed : {};
  const inner = isRecord(outer.error) ? outer.error : {};
  const code = text(outer.error_code) ?? text(inner.error_code) ?? text(inner.code);
  return {
    code,
    key: code === undefined ? '' : code.replace(GATEWAY_CODE, '.$1'),
    message: text(outer.error_msg) ?? text(inner.error_msg) ?? text(inner.message) ?? '',
    requestId: text(outer.request_id),
  };
}

/** `…,limit:5,time:1 minute` → 60 000: how long the throttled window is. */
export function throttleWindowMs(message: string): number | undefined {
  const match = /\btime:\s*(\d+)\s*(second|minute|hour|day)/i.exec(message);
  if (match === null) return undefined;
  const unitMs = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };
  return Number(match[1]) * (unitMs[match[2]?.toLowerCase() as keyof typeof unitMs] ?? 0);
}

/** Seconds or an HTTP date; anything else is ignored. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
