import { describe, expect, test } from 'vitest';
import { checkMessage, checkMetadata } from '../../../../../playground/slack/validation/message.ts';
import { button, cell, dataTable, long, mrkdwn, option, pie, plain, section, series, times } from './block-samples.ts';

describe('a message Slack refuses', () => {
  test.each([
    ['fifty-one blocks', times(51, () => ({ type: 'divider' })), '/blocks', 'no more than 50 items allowed'],
    ['an unknown block', [{ type: 'banner' }], '/blocks/0/type', 'unsupported type: banner'],
    ['an alert', [{ type: 'alert', text: plain('x') }], '/blocks/0/type', 'unsupported type: alert'],
    ['no block', [section(), 'x'], '/blocks/1', 'must be a valid object'],
    ['a misspelt field', [{ ...section(), txt: 1 }], '/blocks/0', 'invalid additional property: txt'],
    ['an empty section', [{ type: 'section' }], '/blocks/0', 'missing required field: text or fields'],
    ['an empty text', [section('')], '/blocks/0/text/text', 'must be more than 0 characters'],
    ['a long section', [section(long(3001))], '/blocks/0/text/text', 'must be less than 3001 characters'],
    [
      'a long field',
      [{ type: 'section', fields: [mrkdwn(long(2001))] }],
      '/blocks/0/fields/0/text',
      'must be less than 2001 characters',
    ],
    [
      'eleven fields',
      [{ type: 'section', fields: times(11, () => mrkdwn('x')) }],
      '/blocks/0/fields',
      'no more than 10 items allowed',
    ],
    [
      'a long header',
      [{ type: 'header', text: plain(long(151)) }],
      '/blocks/0/text/text',
      'must be less than 151 characters',
    ],
    [
      'a header with markup',
      [{ type: 'header', text: mrkdwn('x') }],
      '/blocks/0/text/type',
      'unsupported type: mrkdwn',
    ],
    [
      'eleven in a context',
      [{ type: 'context', elements: times(11, () => mrkdwn('x')) }],
      '/blocks/0/elements',
      'no more than 10 items allowed',
    ],
    ['no actions', [{ type: 'actions', elements: [] }], '/blocks/0/elements', 'no fewer than 1 items allowed'],
    [
      '26 buttons',
      [{ type: 'actions', elements: times(26, (index) => button(`a${index}`)) }],
      '/blocks/0/elements',
      'no more than 25 items allowed',
    ],
    [
      'a long button',
      [{ type: 'actions', elements: [button('a', { text: plain(long(76)) })] }],
      '/blocks/0/elements/0/text/text',
      'must be less than 76 characters',
    ],
    [
      'a long value',
      [{ type: 'actions', elements: [button('a', { value: long(2001) })] }],
      '/blocks/0/elements/0/value',
      'must be less than 2001 characters',
    ],
    [
      'a long action id',
      [{ type: 'actions', elements: [button(long(256))] }],
      '/blocks/0/elements/0/action_id',
      'must be less than 256 characters',
    ],
    [
      'an action id twice',
      [{ type: 'actions', elements: [button('a'), button('a')] }],
      '/blocks/0/elements/1/action_id',
      '`action_id` already exists',
    ],
    [
      'a block id twice',
      times(2, () => ({ ...section(), block_id: 'b' })),
      '/blocks/1/block_id',
      '`block_id` already exists',
    ],
    [
      'a long block id',
      [{ ...section(), block_id: long(256) }],
      '/blocks/0/block_id',
      'must be less than 256 characters',
    ],
    [
      '101 options',
      [
        {
          type: 'actions',
          elements: [{ type: 'static_select', action_id: 'm', options: times(101, (index) => option(`o${index}`)) }],
        },
      ],
      '/blocks/0/elements/0/options',
      'no more than 100 items allowed',
    ],
    [
      'a long option',
      [{ type: 'actions', elements: [{ type: 'static_select', action_id: 'm', options: [option(long(76))] }] }],
      '/blocks/0/elements/0/options/0/text/text',
      'must be less than 76 characters',
    ],
    [
      'a picture without words',
      [{ type: 'image', image_url: 'https://example.com/a.png' }],
      '/blocks/0',
      'missing required field: alt_text',
    ],
    [
      'a picture from two places',
      [{ type: 'image', image_url: 'https://example.com/a.png', slack_file: { id: 'F012345678' }, alt_text: 'a' }],
      '/blocks/0',
      'must provide exactly one of: image_url, slack_file',
    ],
    [
      'a picture only this machine has',
      [{ type: 'image', image_url: 'http://127.0.0.1/a.png', alt_text: 'a' }],
      '/blocks/0/image_url',
      'downloading image failed',
    ],
    [
      'a file id that is none',
      [{ type: 'image', slack_file: { id: 'f1' }, alt_text: 'a' }],
      '/blocks/0/slack_file/id',
      'invalid slack file',
    ],
    [
      '101 table rows',
      [{ type: 'table', rows: times(101, () => [cell('x')]) }],
      '/blocks/0/rows',
      'no more than 100 items allowed',
    ],
    [
      '21 table columns',
      [{ type: 'table', rows: [times(21, () => cell('x'))] }],
      '/blocks/0/rows/0',
      'no more than 20 items allowed',
    ],
    [
      'a table of 10,001 characters',
      [{ type: 'table', rows: [[cell(long(10_001))]] }],
      '/blocks/0/rows',
      'must be less than 10001 characters',
    ],
    [
      'an empty table cell',
      [{ type: 'table', rows: [[cell('')]] }],
      '/blocks/0/rows/0/0/text',
      'must be more than 0 characters',
    ],
    ['two tables', times(2, () => ({ type: 'table', rows: [[cell('x')]] })), '/blocks', 'only one table is allowed'],
    ['102 data rows', [dataTable(102, 1)], '/blocks/0/rows', 'no more than 101 items allowed'],
    [
      'a data table without caption',
      [dataTable(2, 1, { caption: undefined })],
      '/blocks/0',
      'missing required field: caption',
    ],
    [
      'a data table of unequal rows',
      [dataTable(2, 2, { rows: [[cell('a'), cell('b')], [cell('c')]] })],
      '/blocks/0/rows',
      'all rows must have the same number of cells',
    ],
    ['a header only', [dataTable(1, 1)], '/blocks/0/rows', 'no fewer than 2 items allowed'],
    ['a pie of nothing', [pie([0])], '/blocks/0/chart/segments/0/value', 'must be more than 0'],
    ['seven segments', [pie([1, 2, 3, 4, 5, 6, 7])], '/blocks/0/chart/segments', 'no more than 6 items allowed'],
    ['three charts', [pie([1]), pie([1]), pie([1])], '/blocks', 'no more than 2 data_visualization blocks allowed'],
    [
      'a series twice',
      [series(['a', 'a'], ['x'], ['x'])],
      '/blocks/0/chart/series/1/name',
      'series names must be unique',
    ],
    [
      'a series with a hole',
      [series(['a'], ['x'], ['x', 'y'])],
      '/blocks/0/chart/series/0/data',
      'data labels must match the categories',
    ],
    [
      '21 points',
      [series(['a'], times(21, String), times(21, String))],
      '/blocks/0/chart/axis_config/categories',
      'no more than 20 items allowed',
    ],
    [
      'a long label',
      [series(['a'], [long(21)], [long(21)])],
      '/blocks/0/chart/axis_config/categories/0',
      'must be less than 21 characters',
    ],
    [
      'much markdown',
      times(2, () => ({ type: 'markdown', text: long(6001) })),
      '/blocks',
      'markdown must be less than 12001 characters in all',
    ],
    [
      'a table deep in a container',
      [{ type: 'container', child_blocks: [dataTable(2, 1)] }],
      '/blocks/0/child_blocks/0/type',
      'unsupported type: data_table',
    ],
  ])('%s', (_name, blocks, pointer, message) => {
    expect(checkMessage(blocks, 'text')).toContainEqual({ error: 'invalid_blocks', pointer, message });
  });

  test('blocks that are too much together', () => {
    const problems = checkMessage(
      times(5, () => section(long(2900))),
      'text',
    );
    expect(problems.map(({ error }) => error)).toEqual(['msg_blocks_too_long']);
  });

  test('nothing to say', () => {
    expect(checkMessage(undefined, ' ')).toMatchObject([{ error: 'no_text' }]);
    expect(checkMessage([], '')).toMatchObject([{ error: 'no_text' }]);
  });

  test('a text that is too long, each way of sending with its own limit', () => {
    expect(checkMessage(undefined, long(40_000))).toEqual([]);
    expect(checkMessage(undefined, long(40_001))).toMatchObject([{ error: 'msg_too_long' }]);
    expect(checkMessage(undefined, long(4001), 4000)).toMatchObject([{ error: 'msg_too_long' }]);
  });

  test('blocks that are no list', () => {
    expect(checkMessage('{', 'text')).toMatchObject([{ error: 'invalid_blocks_format' }]);
  });
});

describe('metadata', () => {
  test.each([
    [{ event_type: 'digest_sent', event_payload: { run: '1', late: false, hosts: ['a'] } }, []],
    [{ event_type: 'digest_sent' }, ['invalid_metadata_schema']],
    [{ event_type: '', event_payload: {} }, ['invalid_metadata_schema']],
    ['{', ['invalid_metadata_format']],
    [{ event_type: 'x', event_payload: { a: long(16_001) } }, ['metadata_too_large']],
    [undefined, []],
  ])('%#', (metadata, errors) => {
    expect(checkMetadata(metadata).map(({ error }) => error)).toEqual(errors);
  });
});
