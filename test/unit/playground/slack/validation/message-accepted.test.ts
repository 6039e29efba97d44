import { describe, expect, test } from 'vitest';
import { checkMessage } from '../../../../../playground/slack/validation/message.ts';
import { button, cell, dataTable, long, mrkdwn, option, pie, plain, section, series, times } from './block-samples.ts';

describe('a message Slack takes', () => {
  test.each([
    ['fifty blocks', times(50, () => ({ type: 'divider' }))],
    ['a section at its limit', [section(long(3000))]],
    ['ten fields at their limit', [{ type: 'section', fields: times(10, () => mrkdwn(long(1000))) }]],
    ['a header at its limit', [{ type: 'header', text: plain(long(150)) }]],
    ['a context of ten', [{ type: 'context', elements: times(10, () => mrkdwn('x')) }]],
    ['twenty-five buttons', [{ type: 'actions', elements: times(25, (index) => button(`a${index}`)) }]],
    [
      'a button with all it may have',
      [{ type: 'actions', elements: [button('a', { value: long(2000), style: 'primary' })] }],
    ],
    [
      'a menu of a hundred',
      [
        {
          type: 'actions',
          elements: [{ type: 'static_select', action_id: 'm', options: times(100, (index) => option(`o${index}`)) }],
        },
      ],
    ],
    ['the same action id in two blocks', times(2, () => ({ type: 'actions', elements: [button('a')] }))],
    ['a picture at a public address', [{ type: 'image', image_url: 'https://example.com/a.png', alt_text: 'a' }]],
    ['a picture in Slack', [{ type: 'image', slack_file: { id: 'F012345678' }, alt_text: 'a', title: plain('t') }]],
    ['a table at its limit', [{ type: 'table', rows: times(100, () => times(20, () => cell('12345'))) }]],
    ['a data table at its limit', [dataTable(101, 20)]],
    ['numbers in a table', [dataTable(2, 1, { rows: [[cell('n')], [{ type: 'raw_number', value: 3, text: '3' }]] })]],
    ['two pies', [pie([1, 2, 3, 4, 5, 6]), pie([1])]],
    ['six lines of twenty points', [series(['a', 'b', 'c', 'd', 'e', 'f'], times(20, String), times(20, String))]],
    ['markdown at its limit', [{ type: 'markdown', text: long(12_000) }]],
    [
      'rich text',
      [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'x', style: { bold: true } },
                { type: 'date', timestamp: 1, format: '{date}', fallback: 'x' },
              ],
            },
          ],
        },
      ],
    ],
    [
      'a container',
      [
        {
          type: 'container',
          title: plain('Why'),
          is_collapsible: true,
          child_blocks: [section(), { type: 'divider' }],
        },
      ],
    ],
    [
      'feedback',
      [
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              action_id: 'f',
              positive_button: { text: plain('y'), value: 'y' },
              negative_button: { text: plain('n'), value: 'n' },
            },
          ],
        },
      ],
    ],
    ['no blocks at all', undefined],
  ])('%s', (_name, blocks) => {
    expect(checkMessage(blocks, 'text')).toEqual([]);
  });
});
