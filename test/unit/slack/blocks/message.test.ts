import { describe, expect, it } from 'vitest';
import { checkMessage } from '../../../../playground/slack/index.ts';
import { breakdownChart, timelineChart } from '../../../../src/charts/spec/index.ts';
import type { Line, Piece, Reply } from '../../../../src/replies/reply.ts';
import { type Rendering, renderMessage } from '../../../../src/slack/blocks/message.ts';
import type { Distribution, Timeline } from '../../../../src/statistics/timeline.ts';
import { fc } from '../../../support/property.ts';

const RENDERINGS: readonly Rendering[] = ['picture', 'native', 'simple', 'text'];
const NOW = Temporal.Instant.from('2026-03-10T14:30:00Z');

/** Text as hostile as it gets: control characters of Slack, entities, markup, astral characters, very long words. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc.constantFrom(
    '<!channel>',
    '<@U123>',
    '&lt;',
    '```',
    '*_~`',
    '\u202e',
    '😀'.repeat(400),
    'x'.repeat(5_000),
    '',
    ' ',
    '\n\n',
  ),
);
const piece: fc.Arbitrary<Piece> = fc.oneof(
  hostile,
  hostile.map((bold) => ({ bold })),
  hostile.map((italic) => ({ italic })),
  hostile.map((code) => ({ code })),
  hostile.map((user) => ({ user })),
  fc.constant({ instant: NOW, zone: 'Europe/Berlin' }),
);
const line: fc.Arbitrary<Line> = fc.array(piece, { maxLength: 8 });
const lines = fc.array(line, { maxLength: 60 });
const table = fc.integer({ min: 1, max: 6 }).chain((width) =>
  fc.record({
    columns: fc.array(fc.record({ name: hostile, align: fc.constantFrom('left' as const, 'right' as const) }), {
      minLength: width,
      maxLength: width,
    }),
    rows: fc.array(fc.array(hostile, { minLength: width, maxLength: width }), { maxLength: 150 }),
  }),
);
const action = fc.record({
  label: hostile,
  sentence: hostile,
  effect: fc.constantFrom('replace' as const, 'thread' as const, 'modal' as const),
});
const points = fc.array(
  fc.record({ requests: fc.option(fc.nat(), { nil: null }), attacks: fc.option(fc.nat(), { nil: null }) }),
  { maxLength: 300 },
);
const chart = fc.oneof(
  fc.tuple(points, hostile).map(([values, title]) => {
    const fromMs = NOW.epochMilliseconds - values.length * 60_000;
    const timeline: Timeline = {
      fromMs,
      toMs: NOW.epochMilliseconds,
      intervalMs: 60_000,
      points: values.map((value, at) => ({ endMs: fromMs + (at + 1) * 60_000, ...value })),
      settledUntilMs: NOW.epochMilliseconds - 180_000,
      asOfMs: NOW.epochMilliseconds,
      stale: false,
    };
    return timelineChart({ hosts: [], timeline, zone: 'UTC', title });
  }),
  fc.array(fc.record({ category: hostile, count: fc.nat() }), { maxLength: 20 }).map((counts) => {
    const distribution: Distribution = { fromMs: 0, toMs: 1, counts, settledUntilMs: 1, asOfMs: 1, stale: false };
    return breakdownChart({ zone: 'UTC', hosts: [], distribution, title: 'Attacks' });
  }),
);
const reply: fc.Arbitrary<Reply> = fc.record(
  {
    title: hostile.map((text) => text || 'x'),
    headline: line,
    body: lines,
    table,
    chart,
    notes: lines,
    actions: fc.array(action, { maxLength: 40 }),
    code: hostile,
    level: fc.constantFrom('calm' as const, 'elevated' as const, 'surge' as const, 'not_enough_data' as const),
    subject: hostile.map((name) => ({
      hosts: [{ name, id: '1' }],
      range: { from: NOW.subtract({ hours: 1 }), to: NOW },
      zone: 'Asia/Kathmandu',
    })),
  },
  { requiredKeys: ['title'] },
);

describe('the message builder', () => {
  it.each(RENDERINGS)('keeps to every limit of Slack, whatever it is given, as %s', (rendering) => {
    fc.assert(
      fc.property(reply, (random) => {
        const { text, blocks = [] } = renderMessage(random, {
          rendering,
          fileId: 'F0123456789',
          remarks: [['remark']],
        });
        expect(checkMessage(blocks, text)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each(RENDERINGS)(
    'stays within the limit for all blocks together when every part is at its own, as %s',
    (rendering) => {
      const long = 'x'.repeat(5_000);
      const longest: Reply = {
        title: 'x'.repeat(200),
        headline: [{ bold: 'the headline' }],
        body: Array.from({ length: 60 }, () => ['&'.repeat(590)]),
        code: long,
        table: { columns: [{ name: long, align: 'left' }], rows: Array.from({ length: 150 }, () => [long]) },
        notes: Array.from({ length: 60 }, () => ['&'.repeat(500)]),
        actions: Array.from({ length: 40 }, () => ({ label: long, sentence: 'x'.repeat(2_000), effect: 'thread' })),
      };
      const { text, blocks = [] } = renderMessage(longest, { rendering, fileId: 'F0123456789' });
      expect(checkMessage(blocks, text)).toEqual([]);
      expect(rendering === 'text' ? text : JSON.stringify(blocks)).toContain('*the headline*');
    },
  );

  it('lets nothing from outside become a mention, a link or a broadcast', () => {
    fc.assert(
      fc.property(reply, fc.constantFrom(...RENDERINGS), (random, rendering) => {
        const message = renderMessage(random, { rendering, fileId: 'F0123456789' });
        const markup = JSON.stringify(message).match(/<(?!!date\^|@[A-Z0-9]*>|#[A-Z0-9]*>)[^>]*>/g);
        const plain = (message.blocks ?? []).some((block) =>
          ['header', 'table', 'data_visualization', 'image'].includes(block.type),
        );
        // Headers, tables, charts and alt texts are plain text in Slack: there a bracket is only a bracket.
        if (!plain) expect(markup).toBeNull();
        expect(message.text).not.toMatch(/<!(?!date)/);
      }),
      { numRuns: 300 },
    );
  });

  it('pings nobody for a host called <!channel>', () => {
    const { text, blocks } = renderMessage(
      {
        title: 'Requests on <!channel>',
        headline: ['on ', { bold: '<!channel>' }, ' & ', { code: '<@U1>' }],
      },
      { rendering: 'native' },
    );
    const sections = JSON.stringify(blocks?.filter(({ type }) => type !== 'header'));
    expect(sections).not.toContain('<!');
    expect(sections).not.toContain('<@U1>');
    expect(text).toContain('&lt;!channel&gt;');
  });
});

describe('renderings', () => {
  const full: Reply = {
    title: 'Attacks by category',
    headline: [{ bold: '42' }, ' events.'],
    chart: breakdownChart({
      zone: 'UTC',
      hosts: [],
      distribution: {
        fromMs: 0,
        toMs: 1,
        counts: [{ category: 'xss', count: 42 }],
        settledUntilMs: 1,
        asOfMs: 1,
        stale: false,
      },
      title: 'Attacks',
    }),
    table: { columns: [{ name: 'Category', align: 'left' }], rows: [['XSS']] },
  };
  const types = (rendering: Rendering): string[] =>
    (renderMessage(full, { rendering, fileId: 'F0123456789' }).blocks ?? []).map(({ type }) => type);

  it('step down from the picture to plain text, and keep the numbers', () => {
    expect(types('picture')).toEqual(['header', 'section', 'image']);
    expect(types('native')).toEqual(['header', 'section', 'data_visualization']);
    expect(types('simple')).toEqual(['header', 'section', 'section']);
    const { text, blocks } = renderMessage(full, { rendering: 'text' });
    expect(blocks).toBeUndefined();
    for (const part of ['Attacks by category', '42', 'XSS']) expect(text).toContain(part);
  });

  it('show the table where there is no chart', () => {
    const { chart: _, ...tableOnly } = full;
    const shown = renderMessage(tableOnly, { rendering: 'picture' }).blocks?.map(({ type }) => type);
    expect(shown).toEqual(['header', 'section', 'table']);
  });

  it('show what the chart would where no chart goes and the answer has no table of its own', () => {
    const { table: _, ...chartOnly } = full;
    for (const rendering of ['simple', 'text'] as const) {
      expect(JSON.stringify(renderMessage(chartOnly, { rendering }))).toMatch(/Category +Attacks.*XSS +42/s);
    }
  });

  it('say hosts, window and zone in one line, and the level as a mark before the finding', () => {
    const subject = {
      hosts: [{ name: 'shop', id: '1' }],
      range: { from: Temporal.Instant.from('2026-03-10T13:00:00Z'), to: Temporal.Instant.from('2026-03-10T14:00:00Z') },
      zone: 'Europe/Berlin',
    };
    const { text, blocks = [] } = renderMessage({ ...full, level: 'surge', subject }, { rendering: 'simple' });
    expect(JSON.stringify(blocks[0])).toContain('🔴 Attacks by category');
    expect(text).toBe('🔴 Attacks by category: 42 events.');
    const [context] = blocks.filter(({ type }) => type === 'context');
    expect(JSON.stringify(context)).toContain('"shop · Tue 10 Mar 14:00–15:00 · Europe/Berlin (UTC+1)"');
  });

  it('have one row of buttons, the most likely ones', () => {
    const actions = Array.from({ length: 9 }, (_, at) => ({
      label: `${at}`,
      sentence: 'help',
      effect: 'thread' as const,
    }));
    const rows = renderMessage({ ...full, actions }, { rendering: 'simple' }).blocks?.filter(
      ({ type }) => type === 'actions',
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows).match(/"text":"\d"/g)).toEqual([0, 1, 2, 3, 4].map((at) => `"text":"${at}"`));
  });
});
