import { format } from 'node:util';
import { changes } from './changes.js';
import { closing } from './closing.js';
import { columns } from './columns.js';
import { storeKit, type OpenedStore, type StoreKit } from './kit.js';
import { order } from './order.js';
import { wholeRows } from './rows-are-whole.js';
import { scans } from './scans.js';
import { timestamps } from './timestamps.js';
import { values } from './values.js';
import { wrongUse } from './wrong-use.js';

export type { OpenedStore } from './kit.js';

/** The functions of a test runner. `node:test`, Vitest, Jest, Mocha and others have them. */
export interface TestRunner {
  /** Defines a test, which fails if the promise rejects. The runner must have `it` or `test`. */
  readonly it?: (name: string, run: () => Promise<void>) => unknown;
  /** Like `it`. */
  readonly test?: (name: string, run: () => Promise<void>) => unknown;
  /** Groups tests. Absent: the name of each test begins with the name of its group. */
  readonly describe?: (name: string, define: () => void) => unknown;
}

const GROUPS = [order, values, columns, changes, scans, wholeRows, timestamps, wrongUse, closing];

/**
 * Defines the tests that every store must pass: about 130 tests, each on a new store. They test only the promises of `Store`. Tests of `compareAndSet` and of timestamps do nothing for
 * a store without this method. For errors
 * they check only the code: a `CrawlError` with STORE_FAILED for wrong use, and CLOSED after `close`.
 * @param name of the store, for the names of the tests
 * @param open creates a new and empty store; called once in each test
 * @throws TypeError if the runner has neither `it` nor `test`
 */
export function testStore(name: string, runner: TestRunner, open: () => Promise<OpenedStore>): void {
  const define = runner.it ?? runner.test;
  if (!define) throw new TypeError('expected a test runner with "it" or "test", found neither');
  const { describe } = runner;
  for (const { title, isFor = () => true, before, tests } of GROUPS) {
    const group = `${name} keeps the contract of a store: ${title}`;
    const it = (test: string, run: (kit: StoreKit) => Promise<void>): void => {
      define(describe ? test : `${group}: ${test}`, async () => {
        const opened = await open();
        try {
          const kit = storeKit(opened);
          if (!isFor(kit.store)) return;
          await before?.(kit);
          await run(kit);
        } finally {
          await opened.cleanup();
        }
      });
    };
    const all = (): void =>
      tests({
        it,
        each: (rows) => (test, run) => {
          for (const args of rows) it(nameOf(test, args), (kit) => run(kit, ...args));
        },
      });
    if (describe) describe(group, all);
    else all();
  }
}

/** Returns the name of a test with its arguments. */
function nameOf(test: string, args: readonly unknown[]): string {
  const asked = test.match(/%[sij]/g)?.length ?? 0;
  return format(test, ...args.slice(0, asked));
}
