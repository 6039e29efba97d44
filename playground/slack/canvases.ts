/** Canvases: Markdown documents that belong to the app, and whom they are shared with. */
import type { Ids } from './ids.ts';

export interface Canvas {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
  /** The channel that has it as a tab. */
  readonly tabIn?: string | undefined;
  /** What channels and people may do with it, by id. Nobody but the app sees it before it is shared. */
  readonly access: Readonly<Record<string, 'read' | 'write'>>;
}

export interface Canvases {
  create(input: Pick<Canvas, 'title' | 'markdown' | 'tabIn'>): Canvas;
  share(id: string, whom: readonly string[], level: 'read' | 'write'): Canvas | undefined;
  get(id: string): Canvas | undefined;
  all(): readonly Canvas[];
}

export function createCanvases(deps: { readonly ids: Ids; readonly changed: (canvas: Canvas) => void }): Canvases {
  const canvases = new Map<string, Canvas>();
  const store = (canvas: Canvas): Canvas => {
    canvases.set(canvas.id, canvas);
    deps.changed(canvas);
    return canvas;
  };
  return {
    create: ({ title, markdown, tabIn }) =>
      store({
        id: deps.ids.next('F'),
        title,
        markdown,
        tabIn,
        access: tabIn === undefined ? {} : { [tabIn]: 'write' },
      }),
    share(id, whom, level) {
      const canvas = canvases.get(id);
      const shared = Object.fromEntries(whom.map((each) => [each, level]));
      return canvas && store({ ...canvas, access: { ...canvas.access, ...shared } });
    },
    get: (id) => canvases.get(id),
    all: () => [...canvases.values()],
  };
}
