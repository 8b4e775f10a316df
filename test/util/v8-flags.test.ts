import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HeapInfo } from 'node:v8';
import { setV8Flags } from '../../packages/util/index.js';

const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('lets the heap grow by half of what is in use, once it has been large', () => {
  const flags: string[] = [];
  let heap = 100 * MB;
  setV8Flags({
    setFlagsFromString: (flag) => void flags.push(flag),
    getHeapStatistics: () => ({ total_heap_size: heap }) as HeapInfo,
  });
  const growth = (): string[] => flags.filter((flag) => flag.includes('growing'));
  vi.advanceTimersByTime(10_000);
  expect(growth()).toEqual(['--heap-growing-percent=100']);
  heap = 200 * MB;
  vi.advanceTimersByTime(1000);
  expect(growth()).toEqual(['--heap-growing-percent=100', '--heap-growing-percent=50']);
  heap = 100 * MB;
  vi.advanceTimersByTime(10_000);
  expect(growth()).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});
