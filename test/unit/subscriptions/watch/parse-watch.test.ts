import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import { describeRule, parseWatch } from '../../../../src/subscriptions/watch/watch-rule.ts';

const MINUTE_MS = 60_000;

describe('a watch', () => {
  it.each([
    ['', 'anything unusual', 5],
    ['   ', 'anything unusual', 5],
    ['every 10m', 'anything unusual', 10],
    ['every minute', 'anything unusual', 1],
    ['attacks over 500 per 15m', 'attacks over 500 per 15 minutes', 5],
    ['Attacks more than 1,200 in 2 hours', 'attacks over 1,200 per 2 hours', 5],
    ['attacks > 2k per hour', 'attacks over 2,000 per hour', 5],
    ['requests above 1.5k within 5 min every 15 minutes', 'requests over 1,500 per 5 minutes', 15],
    ['sqli over 50 per 10m', 'SQL injection over 50 per 10 minutes', 5],
    // Row 10: newer categories of the service.
    ['iprank over 50 per 10m', 'IP reputation over 50 per 10 minutes', 5],
    ['prompt injection over 5 per 1h', 'LLM prompt injection over 5 per hour', 5],
    ['sql injection over 50 per 10m', 'SQL injection over 50 per 10 minutes', 5],
    ['bots over 50 per 10m', 'Malicious crawlers over 50 per 10 minutes', 5],
    ['  every 2m   xss over 1 per 1m  ', 'XSS over 1 per minute', 2],
  ])('%s', (text, words, minutes) => {
    const { rule, everyMs } = parseWatch(text);
    expect(describeRule(rule)).toBe(words);
    expect(everyMs).toBe(minutes * MINUTE_MS);
  });

  it.each([
    ['attacks over lots per 15m', 'lots', undefined],
    ['attacks over 0 per 15m', '0', undefined],
    ['attacks over 1.5 per 15m', '1.5', undefined],
    ['sqly over 50 per 10m', 'sqly', 'sqli'],
    ['unicorns over 50 per 10m', 'unicorns', undefined],
    ['attacks over 50 per 48h', 'per 48h', undefined],
    ['every 3h', 'every 3h', undefined],
    ['attacks over 50', 'attacks over 50', undefined],
    ['the baby', 'the baby', undefined],
    ['attacks over 50 per 10m please', 'attacks over 50 per 10m please', undefined],
  ])('%s is refused at its fault', (text, part, suggestion) => {
    const error = refusal(`watch ${text}`.replace('watch', '     '));
    expect(error.text?.slice(error.span?.start, error.span?.end)).toBe(part);
    expect(error.suggestion).toBe(suggestion);
    expect(error.example).toBeDefined();
  });
});

function refusal(text: string): UsageError {
  try {
    parseWatch(text);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`${text} was understood`);
}
