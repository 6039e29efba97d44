/** Validates text, blocks and metadata of a message. Files are not checked here, since that needs a workspace. */
import { z } from 'zod';
import { isObject, type JsonObject, objectsIn } from '../json.ts';
import { messageBlock } from './blocks.ts';
import { type Problem, problemsOf } from './problem.ts';
import { duplicateIds } from './unique-ids.ts';

const MESSAGE_BLOCKS = 50;
const MARKDOWN_CHARS = 12_000;
/** Undocumented; seen to fail from about here. Counting JSON is the strictest way, so what passes here passes there. */
const BLOCKS_JSON_CHARS = 13_200;
const CHARTS = 2;
const TABLES = 1;
const POST_TEXT_CHARS = 40_000;
export const UPDATE_TEXT_CHARS = 4_000;

const messageBlocks = z.array(messageBlock).max(MESSAGE_BLOCKS);

/** `blocks` as sent (an array or nothing); `text` is the plain text beside them. */
export function checkMessage(blocks: unknown, text?: string, maxTextChars = POST_TEXT_CHARS): readonly Problem[] {
  const problems: Problem[] = [];
  if ((text ?? '').length > maxTextChars) {
    problems.push({
      error: 'msg_too_long',
      pointer: '/text',
      message: `must be less than ${maxTextChars + 1} characters`,
    });
  }
  const hasBlocks = Array.isArray(blocks) && blocks.length > 0;
  if (!hasBlocks && (text ?? '').trim() === '') {
    problems.push({ error: 'no_text', pointer: '/text', message: 'missing required field: text' });
  }
  if (blocks === undefined) return problems;
  if (!Array.isArray(blocks)) {
    return [...problems, { error: 'invalid_blocks_format', pointer: '/blocks', message: 'must be an array' }];
  }
  return [
    ...problems,
    ...problemsOf(messageBlocks, blocks, ['blocks']),
    ...duplicateIds(blocks, ['blocks']),
    ...combinedLimits(objectsIn(blocks)),
  ];
}

/** Limits that apply to all blocks of a message together. */
function combinedLimits(blocks: readonly JsonObject[]): readonly Problem[] {
  const problems: Problem[] = [];
  const invalid = (message: string) => problems.push({ error: 'invalid_blocks', pointer: '/blocks', message });
  const nested = blocks.flatMap((block) => [block, ...objectsIn(block.child_blocks)]);
  const count = (...types: readonly string[]) => nested.filter((block) => types.includes(String(block.type))).length;
  if (count('table') > TABLES) invalid('only one table is allowed');
  if (count('data_visualization') > CHARTS) invalid(`no more than ${CHARTS} data_visualization blocks allowed`);
  const markdown = blocks.filter((block) => block.type === 'markdown');
  if (markdown.reduce((sum, block) => sum + String(block.text).length, 0) > MARKDOWN_CHARS) {
    invalid(`markdown must be less than ${MARKDOWN_CHARS + 1} characters in all`);
  }
  // Tables and charts have limits of their own.
  const counted = blocks.filter((block) => !['table', 'data_table', 'data_visualization'].includes(String(block.type)));
  if (JSON.stringify(counted).length > BLOCKS_JSON_CHARS) {
    const message = `blocks must be less than ${BLOCKS_JSON_CHARS + 1} characters in all`;
    problems.push({ error: 'msg_blocks_too_long', pointer: '/blocks', message });
  }
  return problems;
}

const METADATA_CHARS = 16_000;
const flat = z.union([z.string(), z.number(), z.boolean()]);
const flatObject = z.record(z.string(), flat);
const messageMetadata = z.looseObject({
  event_type: z.string().min(1).max(255),
  event_payload: z.record(z.string(), z.union([flat, z.array(flat), flatObject, z.array(flatObject)])),
});

export function checkMetadata(metadata: unknown): readonly Problem[] {
  if (metadata === undefined) return [];
  if (!isObject(metadata)) {
    return [{ error: 'invalid_metadata_format', pointer: '/metadata', message: 'must provide an object' }];
  }
  if (JSON.stringify(metadata).length > METADATA_CHARS) {
    return [
      { error: 'metadata_too_large', pointer: '/metadata', message: `must be less than ${METADATA_CHARS} characters` },
    ];
  }
  return problemsOf(messageMetadata, metadata, ['metadata'], 'invalid_metadata_schema');
}
