import { describe, expect, test } from 'vitest';
import { checkView } from '../../../../../playground/slack/validation/view.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const long = (length: number) => 'x'.repeat(length);
const input = {
  type: 'input',
  block_id: 'i',
  label: plain('When'),
  element: { type: 'timepicker', action_id: 't', initial_time: '09:00' },
};
const modal = (more = {}) => ({
  type: 'modal',
  title: plain('Digest'),
  submit: plain('Create'),
  blocks: [input],
  ...more,
});
const home = (blocks: readonly unknown[]) => ({ type: 'home', blocks });
const divider = { type: 'divider' };

describe('a view Slack takes', () => {
  test.each([
    ['a form', modal()],
    ['a hundred blocks', modal({ blocks: Array.from({ length: 100 }, () => divider) })],
    [
      'all it may carry',
      modal({ private_metadata: long(3000), callback_id: long(255), title: plain(long(24)), notify_on_close: true }),
    ],
    ['an alert in a modal', modal({ blocks: [{ type: 'alert', text: plain('x'), level: 'warning' }] })],
    [
      'a Home tab',
      home([divider, { type: 'actions', elements: [{ type: 'button', action_id: 'a', text: plain('Go') }] }]),
    ],
  ])('%s', (_name, view) => {
    expect(checkView(view)).toEqual([]);
  });
});

describe('a view Slack refuses', () => {
  test.each([
    [
      '101 blocks',
      modal({ blocks: Array.from({ length: 101 }, () => divider) }),
      '/view/blocks',
      'no more than 100 items allowed',
    ],
    ['a long title', modal({ title: plain(long(25)) }), '/view/title/text', 'must be less than 25 characters'],
    ['no title', modal({ title: undefined }), '/view', 'missing required field: title'],
    ['a long button', modal({ submit: plain(long(25)) }), '/view/submit/text', 'must be less than 25 characters'],
    ['a form without a button', modal({ submit: undefined }), '/view', 'missing required field: submit'],
    [
      'too much luggage',
      modal({ private_metadata: long(3001) }),
      '/view/private_metadata',
      'must be less than 3001 characters',
    ],
    ['a long callback id', modal({ callback_id: long(256) }), '/view/callback_id', 'must be less than 256 characters'],
    [
      'a table',
      modal({ blocks: [{ type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] }] }),
      '/view/blocks/0/type',
      'unsupported type: table',
    ],
    [
      'markdown on the Home tab',
      home([{ type: 'markdown', text: 'x' }]),
      '/view/blocks/0/type',
      'unsupported type: markdown',
    ],
    [
      'a time that is none',
      modal({ blocks: [{ ...input, element: { type: 'timepicker', action_id: 't', initial_time: '9am' } }] }),
      '/view/blocks/0/element/initial_time',
      'must be a valid time in the format HH:mm',
    ],
    ['a block id twice', modal({ blocks: [input, input] }), '/view/blocks/1/block_id', '`block_id` already exists'],
    ['no view', 'x', '/view', 'must provide an object'],
  ])('%s', (_name, view, pointer, message) => {
    expect(checkView(view)).toContainEqual({ error: 'invalid_arguments', pointer, message });
  });
});
