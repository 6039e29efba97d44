/** Ids that must be unique: block ids within a message, action ids within a block. */
import { isObject, type JsonObject, objectsIn } from '../json.ts';
import { type Path, type Problem, pointerOf } from './problem.ts';

export function duplicateIds(blocks: readonly unknown[], at: Path): readonly Problem[] {
  const problems: Problem[] = [];
  const blockIds = new Set<unknown>();
  blocks.forEach((block, index) => {
    if (!isObject(block)) return;
    const place = [...at, index];
    if (block.block_id !== undefined) {
      if (blockIds.has(block.block_id)) problems.push(duplicate('block_id', [...place, 'block_id']));
      blockIds.add(block.block_id);
    }
    problems.push(...duplicateActionIds(block, place));
    if (block.type === 'container')
      problems.push(...duplicateIds(objectsIn(block.child_blocks), [...place, 'child_blocks']));
  });
  return problems;
}

function duplicateActionIds(block: JsonObject, place: Path): readonly Problem[] {
  const seen = new Set<unknown>();
  return objectsIn(block.elements ?? block.actions).flatMap((element, index) => {
    if (element.action_id === undefined) return [];
    const repeated = seen.has(element.action_id);
    seen.add(element.action_id);
    return repeated ? [duplicate('action_id', [...place, 'elements', index, 'action_id'])] : [];
  });
}

function duplicate(field: string, path: Path): Problem {
  return { error: 'invalid_blocks', pointer: pointerOf(path), message: `\`${field}\` already exists` };
}
