import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables } from '../../../webtable/index.js';

describe('openTables', () => {
  it('rejects a table of another version and does not close the store', async () => {
    const store = new MemoryStore();
    await openTables(store);
    await openTables(store);
    await store.write('meta', [{ key: 'schema', put: new Map([['v:n', Buffer.from('999')]]) }]);
    await expect(openTables(store)).rejects.toMatchObject({
      code: 'TABLE_VERSION',
      message: expect.stringMatching(/has schema version 999, and this version needs schema version \d+/) as string,
    });
  });

  it('runs exclusive tasks of one name in turn, also after one failed, with any number of openers', async () => {
    const store = new MemoryStore();
    const [tables, others] = [await openTables(store), await openTables(store)];
    const log: string[] = [];
    const task =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const runs = [
      tables.exclusive('x', task('a', true)),
      others.exclusive('x', task('b')),
      tables.exclusive('y', task('c')),
    ];
    expect(await Promise.allSettled(runs)).toMatchObject([{ status: 'rejected' }, { value: 'b' }, { value: 'c' }]);
    expect(log.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(log.indexOf('c begins')).toBeLessThan(log.indexOf('a ends'));
  });
});
