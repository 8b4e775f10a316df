import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../webtable/index.js';
import { testStore } from '../../webtable/store-suite/index.js';
import { STORES } from '../support/stores/open-stores.js';

for (const [name, open] of Object.entries(STORES)) testStore(name, { describe, it }, open);

describe('the suite itself', () => {
  /** The number of tests that pass and fail, with a runner that has only `test`. */
  async function run(change: (store: MemoryStore) => void) {
    const tests: (() => Promise<void>)[] = [];
    const names = new Set<string>();
    const test = (name: string, body: () => Promise<void>): void => {
      names.add(name);
      tests.push(body);
    };
    let open = 0;
    testStore('x', { test }, async () => {
      const store = new MemoryStore();
      change(store);
      open += 1;
      return {
        store,
        async cleanup() {
          open -= 1;
          await store.close();
        },
      };
    });
    let failed = 0;
    for (const body of tests) await body().catch(() => (failed += 1));
    return { tests: tests.length, names: names.size, failed, open };
  }

  it('names each test once, cleans up, and passes a good store', async () => {
    const { tests, names, failed, open } = await run(() => {});
    expect(tests).toBeGreaterThan(100);
    expect({ names, failed, open }).toEqual({ names: tests, failed: 0, open: 0 });
  });

  it('fails for a store that loses a change, and still cleans up', async () => {
    const { failed, open } = await run((store) => {
      const write = store.write.bind(store);
      store.write = (table, changes) => write(table, changes.slice(0, 2));
    });
    expect(failed).toBeGreaterThan(10);
    expect(open).toBe(0);
  });

  it('reports what a runner must have', () => {
    expect(() => testStore('x', {}, () => Promise.reject(new Error()))).toThrow('"it" or "test"');
  });
});
