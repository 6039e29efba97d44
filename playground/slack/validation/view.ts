/** Validates modals and Home tabs. */
import { z } from 'zod';
import { isObject, objectsIn } from '../json.ts';
import { homeBlock, modalBlock } from './blocks.ts';
import { type Problem, problemsOf } from './problem.ts';
import { plainText } from './text.ts';
import { duplicateIds } from './unique-ids.ts';

const VIEW_BLOCKS = 100;
const VIEW_JSON_CHARS = 250_000;

const anyView = {
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  private_metadata: z.string().max(3000).optional(),
};

const modal = z.strictObject({
  type: z.literal('modal'),
  ...anyView,
  title: plainText(24),
  submit: plainText(24).optional(),
  close: plainText(24).optional(),
  blocks: z.array(modalBlock).max(VIEW_BLOCKS),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  submit_disabled: z.boolean().optional(),
});

const home = z.strictObject({ type: z.literal('home'), ...anyView, blocks: z.array(homeBlock).max(VIEW_BLOCKS) });

const view = z.discriminatedUnion('type', [modal, home]);

/** Slack answers `invalid_arguments` to an invalid view; only its size has an error of its own. */
export function checkView(value: unknown): readonly Problem[] {
  const error = 'invalid_arguments';
  if (!isObject(value)) return [{ error, pointer: '/view', message: 'must provide an object' }];
  if (JSON.stringify(value).length > VIEW_JSON_CHARS) {
    return [{ error: 'view_too_large', pointer: '/view', message: `must be less than ${VIEW_JSON_CHARS} characters` }];
  }
  const problems = [...problemsOf(view, value, ['view'], error)];
  const blocks = objectsIn(value.blocks);
  problems.push(...duplicateIds(blocks, ['view', 'blocks']).map((problem) => ({ ...problem, error })));
  if (value.type === 'modal' && value.submit === undefined && blocks.some((block) => block.type === 'input')) {
    problems.push({ error, pointer: '/view', message: 'missing required field: submit' });
  }
  return problems;
}
