import { expect, it } from 'vitest';
import { createRowCache } from '../../../../webtable/stores/level/row-cache.js';
import { randomNumbers } from '../../../support/web/fake-web.js';

const isHot = (key: string): boolean => key.startsWith('wm');
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** A database whose reads and writes wait for turns that a test gives. */
function slowDatabase(turn: () => Promise<void>) {
  const rows = new Map<string, Uint8Array>();
  const asked: string[] = [];
  return {
    rows,
    asked,
    async read(keys: string[]) {
      asked.push(...keys);
      await turn();
      const values = keys.map((key) => rows.get(key));
      await turn();
      return values;
    },
    async write(operations: readonly (readonly [string, Uint8Array | undefined])[]) {
      await turn();
      for (const [key, value] of operations) {
        if (value) rows.set(key, value);
        else rows.delete(key);
      }
      await turn();
    },
  };
}

it('reads a row from the database once, also one that does not exist, and never one that was written', async () => {
  const database = slowDatabase(async () => undefined);
  database.rows.set('wma', bytes(1)).set('wpa', bytes(2));
  const cache = createRowCache(isHot);
  const read = (...keys: string[]) => cache.read(keys, database.read);
  expect(await read('wma', 'wmb', 'wpa')).toEqual([bytes(1), undefined, bytes(2)]);
  expect(await read('wma', 'wmb', 'wpa')).toEqual([bytes(1), undefined, bytes(2)]);
  const operations = [
    ['wmb', bytes(3)],
    ['wma', undefined],
    ['wmc', bytes(4)],
  ] as const;
  await cache.write(operations, () => database.write(operations));
  expect(await read('wma', 'wmb', 'wmc')).toEqual([undefined, bytes(3), bytes(4)]);
  expect(database.asked).toEqual(['wma', 'wmb', 'wpa', 'wpa']);
});

it('does not store what was read before a write that began and ended meanwhile', async () => {
  const database = slowDatabase(async () => undefined);
  database.rows.set('wma', bytes(1));
  const cache = createRowCache(isHot);
  let goOn = (): void => {};
  const isHeldUp = new Promise<void>((resolve) => (goOn = resolve));
  const reading = cache.read(['wma'], async (keys) => {
    const values = await database.read(keys);
    await isHeldUp;
    return values;
  });
  const operations = [['wma', bytes(2)]] as const;
  await cache.write(operations, () => database.write(operations));
  goOn();
  expect(await reading).toEqual([bytes(1)]);
  expect(await cache.read(['wma'], database.read)).toEqual([bytes(2)]);
});

it('reads again after a failed write, which may still have been stored', async () => {
  const database = slowDatabase(async () => undefined);
  const cache = createRowCache(isHot);
  const operations = [['wma', bytes(1)]] as const;
  await cache.read(['wma'], database.read);
  const failing = cache.write(operations, async () => {
    await database.write(operations);
    throw new Error('no answer');
  });
  await expect(failing).rejects.toThrow('no answer');
  expect(await cache.read(['wma'], database.read)).toEqual([bytes(1)]);
});

it('takes no more memory than the values, even if they were parts of larger buffers', async () => {
  const cache = createRowCache(isHot);
  const value = Buffer.alloc(8192).subarray(100, 140);
  await cache.write([['wma', value]], async () => undefined);
  const [held] = await cache.read(['wma'], async () => []);
  expect(held).toEqual(new Uint8Array(40));
  expect(held!.buffer.byteLength).toBe(40);
});

it('drops the least recently used rows', async () => {
  const database = slowDatabase(async () => undefined);
  const cache = createRowCache(isHot);
  const large = new Uint8Array(1024 * 1024);
  for (let i = 0; i < 40; i++) {
    const operations = [[`wm${i}`, large]] as const;
    await cache.write(operations, () => database.write(operations));
  }
  await cache.read(['wm0', 'wm39'], database.read);
  expect(database.asked).toEqual(['wm0']);
});

it('never returns a value older than a write that had ended before the read, in any order of steps: 300 seeds', async () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = randomNumbers(seed);
    const turns: (() => void)[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => turns.push(resolve));
    const database = slowDatabase(turn);
    const cache = createRowCache(isHot);
    const keys = ['wma', 'wmb', 'wmc'];
    /** For each key, the number of the last write that has ended, and of the last that has begun. */
    const ended = new Map(keys.map((key) => [key, 0]));
    const begun = new Map(keys.map((key) => [key, 0]));
    const pick = (): string => keys[Math.floor(random() * keys.length)]!;
    // Writes run one by one, as in a store.
    const writer = async (): Promise<void> => {
      for (let i = 1; i <= 8; i++) {
        const some = [...new Set([pick(), pick()])];
        const operations = some.map((key) => [key, bytes(i)] as const);
        for (const key of some) begun.set(key, i);
        await cache.write(operations, () => database.write(operations));
        for (const key of some) ended.set(key, i);
      }
    };
    const reader = async (): Promise<void> => {
      for (let i = 0; i < 8; i++) {
        const some = [...new Set([pick(), pick()])];
        const least = some.map((key) => ended.get(key)!);
        const found = await cache.read(some, database.read);
        for (const [at, value] of found.entries()) {
          const written = value?.[0] ?? 0;
          expect(written, `seed ${seed}`).toBeGreaterThanOrEqual(least[at]!);
          expect(written, `seed ${seed}`).toBeLessThanOrEqual(begun.get(some[at]!)!);
        }
        await turn();
      }
    };
    let isDone = false;
    const all = Promise.all([writer(), reader(), reader()]).finally(() => (isDone = true));
    while (!isDone) {
      turns.splice(Math.floor(random() * turns.length), 1)[0]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
  }
});
