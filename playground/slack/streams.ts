/** A message that the app streams: its text so far, its tasks, and blocks, from chunks. */
import { type JsonObject, objectsIn, stringAt } from './json.ts';
import type { MessageContent } from './messages.ts';

export interface Stream {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  /** By id, in the order they came. */
  readonly tasks: ReadonlyMap<string, JsonObject>;
  /** Undefined if tasks are shown one by one. */
  readonly plan: { readonly title: string } | undefined;
}

export const startedStream = (mode: unknown): Stream => ({
  text: '',
  blocks: [],
  tasks: new Map(),
  plan: mode === 'plan' ? { title: 'Plan' } : undefined,
});

export function withChunk(stream: Stream, chunk: JsonObject): Stream {
  switch (chunk.type) {
    case 'markdown_text':
      return { ...stream, text: stream.text + String(chunk.text) };
    case 'blocks':
      return { ...stream, blocks: [...stream.blocks, ...objectsIn(chunk.blocks)] };
    case 'plan_update':
      return { ...stream, plan: { title: String(chunk.title) } };
    default:
      return { ...stream, tasks: new Map(stream.tasks).set(String(chunk.id), taskCard(chunk)) };
  }
}

/** Tasks first, then what the app sent. */
export function contentOf({ text, blocks, tasks, plan }: Stream): MessageContent {
  const cards = [...tasks.values()];
  const shown = plan !== undefined && cards.length > 0 ? [{ type: 'plan', title: plan.title, tasks: cards }] : cards;
  return { text, blocks: [...shown, ...blocks] };
}

function taskCard(chunk: JsonObject): JsonObject {
  const { id, title, status, sources } = chunk;
  const card = { type: 'task_card', task_id: id, title, status, ...(sources === undefined ? {} : { sources }) };
  const texts = ['details', 'output'].flatMap((key) => {
    const text = stringAt(chunk, key);
    return text === undefined ? [] : [[key, richText(text)]];
  });
  return { ...card, ...Object.fromEntries(texts) };
}

const richText = (text: string): JsonObject => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
