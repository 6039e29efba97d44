import { describe, expect, it } from 'vitest';
import { parseIncomingText } from '../../../../src/slack/blocks/message.ts';

describe('text as Slack sends it', () => {
  it.each([
    ['<@UBOT> timeline last 24h', 'timeline last 24h'],
    ['timeline <@UBOT|wafbot> today', 'timeline   today'],
    ['ask <@U1>', 'ask @U1'],
    ['ask <@U1|bob>', 'ask @bob'],
    ['in <#C1|general>', 'in #general'],
    ['on <http://shop.example.com|shop.example.com>', 'on shop.example.com'],
    ['on <https://shop.example.com>', 'on shop.example.com'],
    ['on <https://shop.example.com/a?b>', 'on https://shop.example.com/a?b'],
    ['mail <mailto:a@b.example|a@b.example>', 'mail a@b.example'],
    ['<!channel> hello', '@channel hello'],
    ['<!subteam^S1|@oncall> hello', '@oncall hello'],
    ['at <!date^1^{date}|1970-01-01>', 'at 1970-01-01'],
    ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
    ['', ''],
  ])('%s', (text, plain) => {
    expect(parseIncomingText(text, 'UBOT')).toBe(plain);
  });
});
