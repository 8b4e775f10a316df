import { describe, expect, it } from 'vitest';
import { createGroupWriter, type PageChange } from '../../../webtable/index.js';

const change = (key: string): PageChange => ({ key, set: { score: 1 } });

/** A table that records each write and rejects the given keys. */
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
  it('writes changes of a single caller at once, one after the other', async () => {
    const table = recording();
    const write = createGroupWriter(table.write);
    for (const key of ['a', 'b', 'c']) {
      const done = write(change(key));
      await Promise.resolve();
      expect(table.groups.at(-1)).toEqual([key]);
      await done;
    }
  });

  it('waits for as many changes as were recently in flight at once, and writes them together', async () => {
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

  it('writes 32 without waiting for more, and at the end those that no other change joined', async () => {
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

  it('fails a rejected change, and no other one of its group', async () => {
    const table = recording('b');
    const write = createGroupWriter(table.write);
    const outcomes = await Promise.allSettled(['x', 'a', 'b', 'c'].map((key) => write(change(key))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    // The failed change is no longer in flight, so a single change does not wait for it.
    await write(change('d'));
  });
});
