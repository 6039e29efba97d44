/** A binary heap of job ids by due time. Entries are never searched: an outdated one is recognised when it comes up. */
export interface DueEntry {
  readonly dueMs: number;
  readonly id: string;
  /** Tells an entry apart from a newer one of the same job. */
  readonly version: number;
}

export interface DueHeap {
  push(entry: DueEntry): void;
  peek(): DueEntry | undefined;
  pop(): DueEntry | undefined;
}

export function createDueHeap(): DueHeap {
  const heap: DueEntry[] = [];
  const dueOf = (index: number): number => heap[index]?.dueMs ?? Number.POSITIVE_INFINITY;

  function swap(a: number, b: number): void {
    const [first, second] = [heap[a], heap[b]];
    if (!first || !second) return;
    heap[a] = second;
    heap[b] = first;
  }

  return {
    push(entry) {
      heap.push(entry);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (dueOf(parent) <= dueOf(at)) return;
        swap(parent, at);
        at = parent;
      }
    },
    peek: () => heap[0],
    pop() {
      const top = heap[0];
      const last = heap.pop();
      if (!last || heap.length === 0) return top;
      heap[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const least = dueOf(left + 1) < dueOf(left) ? left + 1 : left;
        if (dueOf(least) >= dueOf(at)) return top;
        swap(least, at);
        at = least;
      }
    },
  };
}
