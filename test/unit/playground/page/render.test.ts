import { describe, expect, test, vi } from 'vitest';
import { renderBlocks } from '../../../../playground/page/render/blocks.ts';
import type { RenderContext } from '../../../../playground/page/render/context.ts';
import { clockTime, comingTime, formatDate, timePair } from '../../../../playground/page/render/dates.ts';
import { withDrawnCircles } from '../../../../playground/page/render/emoji.ts';
import { renderMarkdown } from '../../../../playground/page/render/markdown.ts';
import { renderMrkdwn } from '../../../../playground/page/render/mrkdwn.ts';
import { fc } from '../../../support/property.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12, 0);
const context: RenderContext = {
  viewer: { id: 'U1', name: 'maya', realName: 'Maya', tz: 'Asia/Kolkata' },
  zone: 'Asia/Kolkata',
  nowMs: NOW_MS,
  people: [{ id: 'U1', name: 'maya', realName: 'Maya' }],
  channels: [{ id: 'C1', name: 'security', kind: 'public', members: [], botIsMember: true, archived: false }],
  nameOf: (id) => (id === 'U1' ? 'Maya' : id),
  groupName: (id) => (id === 'S1' ? 'oncall' : id),
  isApp: () => false,
  channelName: (id) => (id === 'C1' ? 'security' : id),
  fileName: (id) => (id === 'F00000001' ? 'chart.png' : undefined),
  pictureSize: () => ({ width: 1280, height: 720 }),
};
const mrkdwn = (text: string) => renderMrkdwn(text, context).markup;
const blocks = (...list: Record<string, unknown>[]) => renderBlocks(list, context).markup;
const plain = (text: string) => ({ type: 'plain_text', text });

describe("Slack's markup", () => {
  test.each([
    ['*bold* and _italic_, ~gone~', '<strong>bold</strong> and <em>italic</em>, <s>gone</s>'],
    ['*a _b_ c*', '<strong>a <em>b</em> c</strong>'],
    ['2*3*4 and snake_case_name', '2*3*4 and snake_case_name'],
    ['`<b> *x*`', '<code>&lt;b&gt; *x*</code>'],
    ['```\na *b*\n```', '<pre>a *b*</pre>'],
    ['> quoted\nplain', '<blockquote>quoted</blockquote>plain'],
    ['one\ntwo', 'one<br>two'],
    [
      '<@U1> in <#C1> and <#C9|elsewhere>',
      '<span class="mention">@Maya</span> in <span class="mention">#security</span> and <span class="mention">#elsewhere</span>',
    ],
    ['<!subteam^S1>', '<span class="mention">@oncall</span>'],
    ['<!here>', '<span class="mention loud">@here</span>'],
    ['&lt;!channel&gt; &amp;amp;', '&lt;!channel&gt; &amp;amp;'],
    [
      '<https://example.com/?a=1&amp;b=2|the site>',
      '<a href="https://example.com/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">the site</a>',
    ],
    ['<javascript:alert(1)|click>', 'click'],
    [
      '<http://127.0.0.1:4000/archives/C1/p1794707100041000|message>',
      '<a href="#/security" data-go="security" data-message="1794707100.041000">message</a>',
    ],
    [':warning: :no_such_emoji:', '⚠️ :no_such_emoji:'],
  ])('%j', (text, markup) => {
    expect(mrkdwn(text)).toBe(markup);
  });

  test('nothing that was typed becomes markup of its own', () => {
    const ours =
      /<\/?(strong|em|s|code|pre|blockquote|br|span|a|time|p|ul|ol|li|table|thead|tbody|tr|th|td|div)( [a-z]+="[^"<>]*")*>/g;
    const part = fc.constantFrom(
      '<',
      '>',
      '&',
      '"',
      "'",
      '*',
      '_',
      '`',
      '|',
      '\n',
      '<script>',
      '<img src=x onerror=1>',
      'x',
      '<@',
      '^',
      '[a](',
      ')',
      '# ',
      '- ',
    );
    const text = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (typed) => {
        expect(mrkdwn(typed).replace(ours, '')).not.toMatch(/[<>]/);
        expect(renderMarkdown(typed).markup.replace(ours, '')).not.toMatch(/[<>]/);
      }),
    );
  });
});

test('coloured circles are drawn in text, and left alone in attributes', () => {
  const drawn = withDrawnCircles({ markup: '<a title="🔴 x">🔴 high</a>' }).markup;
  expect(drawn).toContain(
    '<a title="🔴 x"><span class="circle red" role="img" aria-label="red circle"></span> high</a>',
  );
});

describe('dates', () => {
  test('times of a move have a day only if they are on different days', () => {
    const at = (iso: string) => Date.parse(iso);
    const [morning, noon, next] = ['2026-11-17T08:35Z', '2026-11-17T12:05Z', '2026-11-18T08:00Z'].map(at) as [
      number,
      number,
      number,
    ];
    expect(timePair(morning, noon, 'UTC')).toEqual(['08:35', '12:05']);
    expect(timePair(morning, next, 'UTC')).toEqual(['Tue 08:35', 'Wed 08:00']);
    expect(comingTime(noon, 'UTC', morning)).toBe('12:05');
    expect(comingTime(next, 'UTC', morning)).toBe('tomorrow 08:00');
  });

  test('a page of dates makes each formatter once, which takes most of the time otherwise', () => {
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    const zone = 'Pacific/Chatham';
    for (let minute = 0; minute < 100; minute++) {
      formatDate(NOW_MS / 1000 + 60 * minute, '{time_secs}', zone, NOW_MS);
      clockTime(String(NOW_MS / 1000 + 60 * minute), zone, NOW_MS);
    }
    expect(made.mock.calls.length).toBeLessThanOrEqual(3);
    made.mockRestore();
  });

  test.each([
    ['{date_num} {time}', 'Asia/Kolkata', '15/11/2026 17:00'],
    ['{date_short} {time_secs}', 'America/New_York', '15 Nov 2026 06:30:00'],
    ['{date_long_pretty} {time}', 'UTC', 'today 11:30'],
    ['{date_pretty}', 'Pacific/Kiritimati', 'today'],
    ['{ago}', 'UTC', '30 minutes ago'],
    ['{nonsense}', 'UTC', '{nonsense}'],
  ])('%s in %s', (pattern, zone, said) => {
    expect(formatDate((NOW_MS - 30 * 60_000) / 1000, pattern, zone, NOW_MS)).toBe(said);
  });

  test('the time beside a message takes any timestamp, microseconds included', () => {
    for (const ts of ['1794735372.442001', '1794735372.442', String(1794735372442 / 1000)]) {
      expect(clockTime(ts, 'UTC', NOW_MS)).toBe('09:36');
    }
  });

  test('yesterday and tomorrow are those of the reader', () => {
    expect(formatDate(NOW_MS / 1000 - 86_400, '{date_pretty}', 'UTC', NOW_MS)).toBe('yesterday');
    expect(formatDate(NOW_MS / 1000 + 43_200, '{date_pretty}', 'UTC', NOW_MS)).toBe('tomorrow');
    expect(formatDate(NOW_MS / 1000 + 43_200, '{date_pretty}', 'America/New_York', NOW_MS)).toBe('today');
  });
});

describe('blocks', () => {
  test('a block that is broken or unknown leaves the others alone', () => {
    const broken = {
      type: 'section',
      text: {
        type: 'mrkdwn',
        get text(): string {
          throw new Error('broken');
        },
      },
    };
    const markup = blocks(
      { type: 'header', text: plain('before') },
      broken,
      { type: 'hologram' },
      { type: 'header', text: plain('after') },
    );
    expect(markup).toContain('before');
    expect(markup).toContain('section cannot be shown here');
    expect(markup).toContain('hologram is not shown here');
    expect(markup).toContain('after');
  });

  test('a picture of the workspace is shown, one from elsewhere is not fetched', () => {
    expect(blocks({ type: 'image', slack_file: { id: 'F00000001' }, alt_text: 'a "chart"' })).toContain(
      'src="/file/F00000001" alt="a &quot;chart&quot;"',
    );
    const outside = blocks({ type: 'image', image_url: 'https://example.com/x.png', alt_text: 'outside' });
    expect(outside).not.toContain('<img');
    expect(outside).toContain('outside');
  });

  test('controls carry what the script needs', () => {
    const button = {
      type: 'button',
      action_id: 'go',
      text: plain('Go'),
      style: 'danger',
      confirm: {
        title: plain('Really'),
        text: plain('Sure?'),
        confirm: plain('Do it'),
        deny: plain('No'),
        style: 'danger',
      },
    };
    expect(blocks({ type: 'actions', block_id: 'b', elements: [button] })).toContain(
      '<button type="button" class="button danger" data-action="go" data-block="b" data-type="button" data-dispatch data-confirm="Sure?" data-confirm-title="Really" data-confirm-yes="Do it" data-confirm-no="No" data-confirm-style="danger">Go</button>',
    );
    const select = {
      type: 'static_select',
      action_id: 's',
      options: [{ text: plain('One'), value: '1' }],
      initial_option: { text: plain('One'), value: '1' },
    };
    const input = blocks({ type: 'input', block_id: 'i', label: plain('Pick'), element: select });
    expect(input).toContain('<option value="1" selected>One</option>');
    expect(input).not.toContain('data-dispatch');
  });

  test('tables and charts show every number', () => {
    const cell = (text: string) => ({ type: 'raw_text', text });
    const rows = [
      [cell('Category'), cell('Events')],
      [cell('XSS <b>'), { type: 'raw_number', value: 3412, text: '3,412' }],
    ];
    const table = blocks({ type: 'data_table', caption: 'Numbers', rows });
    expect(table).toContain('XSS &lt;b&gt;');
    expect(table).toContain('<td class="right" data-sort="3412">3,412</td>');
    const segments = [
      { label: 'XSS', value: 3000 },
      { label: 'Other', value: 1000 },
    ];
    const pie = blocks({ type: 'data_visualization', title: 'Share', chart: { type: 'pie', segments } });
    expect(pie).toContain('XSS 3,000 (75 %)');
    const series = [
      {
        name: 'attacks',
        data: [
          { label: 'a', value: 1 },
          { label: 'b', value: 4 },
        ],
      },
    ];
    for (const type of ['bar', 'line', 'area']) {
      const chart = blocks({
        type: 'data_visualization',
        title: 'T',
        chart: { type, series, axis_config: { categories: ['a', 'b'] } },
      });
      expect(chart).toContain('attacks');
      expect(chart).not.toContain('NaN');
    }
  });
});
