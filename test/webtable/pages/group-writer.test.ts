import { describe, expect, it } from 'vitest';
import { createGroupWriter, type PageChange } from '../../../webtable/index.js';

const change = (key: string): PageChange => ({ key, set: { score: 1 } });

/** A table that keeps what each write was given; it refuses the keys that are named. */
function recording(...refused: string[]) {
  const groups: string[][] = [];
  return {
    groups,
    async write(changes: readonly PageChange[]) {
      groups.push(changes.map(({ key }) => key));
      await new Promise(setImmediate);
      if (changes.some(({ key }) => refused.includes(key))) throw new Error('refused');
    },
  };
}

describe('createGroupWriter', () => {
  it('writes what a single caller gives at once, one after the other', async () => {
    const table = recording();
    const write = createGroupWriter(table.write);
    for (const key of ['a', 'b', 'c']) {
      const done = write(change(key));
      await Promise.resolve();
      expect(table.groups.at(-1)).toEqual([key]);
      await done;
    }
  });

  it('waits for as many changes as were under way at once before, and writes them in one go', async () => {
    const table = recording();
    const write = createGroupWriter(table.write);
    await Promise.all(['a', 'b', 'c'].map((key) => write(change(key))));
    table.groups.length = 0;
    const all: Promise<void>[] = [];
    for (const key of ['d', 'e', 'f']) {
      all.push(write(change(key)));
      await Promise.resolve();
    }
    await Promise.all(all);
    expect(table.groups).toEqual([['d', 'e', 'f']]);
  });

  it('writes 32 without waiting for more, and in the end what no other change came to', async () => {
    const table = recording();
    const write = createGroupWriter(table.write);
    const keys = Array.from({ length: 100 }, (_, i) => `k${i}`);
    await Promise.all(keys.map((key) => write(change(key))));
    table.groups.length = 0;
    await Promise.all(keys.slice(0, 40).map((key) => write(change(key))));
    expect(table.groups.flat()).toEqual(keys.slice(0, 40));
    await write(change('last'));
    expect(table.groups.at(-1)).toEqual(['last']);
  });

  it('fails a change that is refused, and no other of its group', async () => {
    const table = recording('b');
    const write = createGroupWriter(table.write);
    const outcomes = await Promise.allSettled(['x', 'a', 'b', 'c'].map((key) => write(change(key))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    // What failed is no longer under way: a single change is not kept waiting for it for ever.
    await write(change('d'));
  });
});
