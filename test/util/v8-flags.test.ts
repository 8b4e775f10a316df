import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HeapInfo } from 'node:v8';
import { setV8Flags } from '../../packages/util/index.js';

const MB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('first saves time, and then memory for good once the heap was large', () => {
  const flags: string[] = [];
  let heap = 100 * MB;
  setV8Flags({
    setFlagsFromString: (flag) => void flags.push(flag),
    getHeapStatistics: () => ({ total_heap_size: heap }) as HeapInfo,
  });
  const ofCollecting = (): string[] => flags.filter((flag) => !flag.includes('budget')).map((flag) => flag.slice(2));
  vi.advanceTimersByTime(10_000);
  const first = [
    'heap-growing-percent=100',
    'incremental-marking-soft-trigger=80',
    'incremental-marking-hard-trigger=95',
  ];
  expect(ofCollecting()).toEqual(first);
  heap = 300 * MB;
  vi.advanceTimersByTime(1000);
  const large = ['heap-growing-percent=20', 'incremental-marking-soft-trigger=0', 'incremental-marking-hard-trigger=0'];
  expect(ofCollecting()).toEqual([...first, ...large]);
  heap = 100 * MB;
  vi.advanceTimersByTime(10_000);
  expect(ofCollecting()).toHaveLength(6);
  expect(vi.getTimerCount()).toBe(0);
});

it('sets flags that this V8 knows', () => {
  const flags: string[] = [];
  setV8Flags({
    setFlagsFromString: (flag) => void flags.push(flag),
    getHeapStatistics: () => ({ total_heap_size: 300 * MB }) as HeapInfo,
  });
  vi.advanceTimersByTime(1000);
  const { status, stderr } = spawnSync(process.execPath, [...flags, '-e', '0'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
