import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDueHeap } from '../../../src/scheduler/due-heap.ts';

it('gives entries back in the order of their due times', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000)), (dues) => {
      const heap = createDueHeap();
      for (const [version, dueMs] of dues.entries()) heap.push({ dueMs, id: `${version}`, version });
      const order: number[] = [];
      for (let top = heap.pop(); top; top = heap.pop()) order.push(top.dueMs);
      expect(order).toEqual([...dues].sort((a, b) => a - b));
      expect(heap.peek()).toBeUndefined();
    }),
  );
});
