/** Message content as sent, validated against Slack's limits and the existing files. */

import { isPicture } from '../files.ts';
import { isObject, type JsonObject, objectsIn, stringAt } from '../json.ts';
import type { MessageContent } from '../messages.ts';
import type { SlackState } from '../state.ts';
import { checkMessage, checkMetadata } from '../validation/message.ts';
import { type Path, type Problem, pointerOf } from '../validation/problem.ts';
import { type Refused, refuseProblems } from './reply.ts';

export interface ContentRules {
  /** Slack refuses files in ephemeral messages and response_urls. */
  readonly filesAllowed: boolean;
  readonly maxTextChars?: number;
}

export function readContent(args: JsonObject, state: SlackState, rules: ContentRules): MessageContent | Refused {
  const text = stringAt(args, 'text') ?? '';
  const attachments = objectsIn(args.attachments);
  const blocks = args.blocks;
  const problems = state.trusting
    ? []
    : [
        ...checkMessage(blocks, attachments.length > 0 ? text || ' ' : text, rules.maxTextChars),
        ...attachments.flatMap((attachment) =>
          attachment.blocks === undefined ? [] : checkMessage(attachment.blocks, ' '),
        ),
        ...checkMetadata(args.metadata),
        ...notRolledOut(blocks, state),
      ];
  if (problems.length > 0) return refuseProblems(problems);
  const files = fileProblems(blocks, state, rules.filesAllowed);
  if (files.problems.length > 0) return { ...refuseProblems(files.problems), blameless: files.onlyUnready };
  return {
    text,
    blocks: objectsIn(blocks),
    attachments,
    ...(isObject(args.metadata) ? { metadata: args.metadata } : {}),
  };
}

function notRolledOut(blocks: unknown, state: SlackState): readonly Problem[] {
  const refused = state.faults.refusedBlockTypes();
  return objectsIn(blocks).flatMap((block, index) =>
    refused.has(String(block.type))
      ? [
          {
            error: 'invalid_blocks',
            pointer: `/blocks/${index}/type`,
            message: `unsupported type: ${String(block.type)}`,
          },
        ]
      : [],
  );
}

function fileProblems(blocks: unknown, state: SlackState, allowed: boolean) {
  const problems: Problem[] = [];
  let onlyUnready = true;
  for (const { file, path } of slackFiles(blocks, ['blocks'])) {
    const id = fileIdOf(file);
    const known = id === undefined ? undefined : state.files.get(id);
    const usable = allowed && known !== undefined && known.state === 'completed' && isPicture(known);
    if (usable && state.files.inspect(known.id)?.ready) continue;
    if (!usable) onlyUnready = false;
    problems.push({ error: 'invalid_blocks', pointer: pointerOf(path), message: 'invalid slack file' });
  }
  return { problems, onlyUnready };
}

export function fileIdOf(file: JsonObject): string | undefined {
  return stringAt(file, 'id') ?? /-(F[A-Z0-9]{8,})\//.exec(stringAt(file, 'url') ?? '')?.[1];
}

/** Every `slack_file` at any depth. */
export function slackFiles(value: unknown, path: Path): readonly { readonly file: JsonObject; readonly path: Path }[] {
  if (Array.isArray(value)) return value.flatMap((part, index) => slackFiles(part, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'slack_file' && isObject(part) ? [{ file: part, path: [...path, key] }] : slackFiles(part, [...path, key]),
  );
}
