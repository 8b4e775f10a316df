import { afterEach, expect, test, vi } from 'vitest';
import { loadSettings } from '../../config/index.js';
import { createReadBudget, rowShare, type ReadBounds } from '../../packages/search/index.js';
import { turns } from '../support/events.js';

afterEach(() => vi.useRealTimers());

/** A budget with reads that end when the test lets them. */
function slowReads(bounds: ReadBounds) {
  const budget = createReadBudget(bounds);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const read = (name: string, bytes: number, signal?: AbortSignal): Promise<string> =>
    budget.run(
      bytes,
      () => {
        begun.push(name);
        return new Promise((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve(`${name} is read`))),
        );
      },
      signal,
    );
  return {
    begun,
    read,
    async end(name: string, error?: Error) {
      ends.get(name)!(error);
      await turns();
    },
  };
}

const busy = { code: 'SEARCH_BUSY' };

test('a read that throws at once frees its bytes', async () => {
  const budget = createReadBudget({ bytes: 10 });
  const read = (): Promise<string> => {
    throw new Error('it is closed');
  };
  await expect(budget.run(10, read)).rejects.toThrow('it is closed');
  expect(await budget.run(10, () => Promise.resolve('read'))).toBe('read');
});

test('reads run up to a number of bytes; others wait, and start in order of arrival; if too many wait, a read is rejected', async () => {
  const { begun, read, end } = slowReads({ bytes: 10, mostWaiting: 2 });
  const reads = [read('a', 6), read('b', 4), read('c', 5), read('d', 1)];
  await expect(read('e', 1)).rejects.toMatchObject(busy);
  expect(begun).toEqual(['a', 'b']);
  // There is room for d, but c is before it.
  await end('b');
  expect(begun).toEqual(['a', 'b']);
  const failed = expect(reads[0]).rejects.toThrow('it is damaged');
  await end('a', new Error('it is damaged'));
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await failed;
  expect(await reads[1]).toBe('b is read');
  await end('c');
  await end('d');
  // All of it is free again.
  void read('f', 10);
  expect(begun.at(-1)).not.toBe('f');
  await turns();
  expect(begun.at(-1)).toBe('f');
});

test('a read larger than the budget runs alone', async () => {
  const { begun, read, end } = slowReads({ bytes: 10 });
  void read('a', 1);
  void read('large', Infinity);
  void read('b', 1);
  await turns();
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'large']);
  await end('large');
  expect(begun).toEqual(['a', 'large', 'b']);
});

test('a client disconnects: its promise rejects at once; a running read uses its budget until it ends, a waiting one never starts', async () => {
  const { begun, read, end } = slowReads({ bytes: 10 });
  const [first, second] = [new AbortController(), new AbortController()];
  const reads = [read('a', 6, first.signal), read('b', 9, second.signal), read('c', 4), read('d', 4)];
  await turns();
  expect(begun).toEqual(['a']);
  second.abort(new Error('gone'));
  await expect(reads[1]).rejects.toThrow('gone');
  await turns();
  expect(begun).toEqual(['a', 'c']);
  first.abort(new Error('gone too'));
  await expect(reads[0]).rejects.toThrow('gone too');
  await turns();
  expect(begun).toEqual(['a', 'c']);
  await end('a');
  expect(begun).toEqual(['a', 'c', 'd']);
  const gone = read('e', 1, AbortSignal.abort(new Error('never there')));
  await expect(gone).rejects.toThrow('never there');
});

test('a read that waits too long is rejected', async () => {
  vi.useFakeTimers();
  const { read } = slowReads({ bytes: 1 });
  void read('a', 1);
  const late = expect(read('b', 1)).rejects.toMatchObject(busy);
  await vi.advanceTimersByTimeAsync(10_000);
  await late;
});

test('a row counts with its maximum text, in the row, as a string and in parts', () => {
  const shareOf = (textLimit: number) =>
    rowShare(loadSettings({ overrides: { 'parser.textLimit': textLimit } }).settings);
  const MiB = 2 ** 20;
  expect(shareOf(2 ** 20)).toEqual({ bytes: 14.5 * MiB, rows: 2 });
  expect(shareOf(10_000)).toEqual({ bytes: 12 * MiB, rows: 40 });
  expect(shareOf(10 * MiB)).toEqual({ bytes: 90.25 * MiB, rows: 1 });
  expect(shareOf(-1)).toEqual({ bytes: Infinity, rows: 1 });
});
