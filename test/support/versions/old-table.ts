import { openLevelStore, openTables, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import type { Store } from '../../../webtable/index.js';
import { createPages } from '../../../webtable/pages/pages.js';
import { dumpStore } from '../stores/copy-store.js';
import { randomNumbers } from '../web/fake-web.js';
import { putOldTexts, toVersion7 } from './version-7.js';

/** The number of rows that are written together. */
const CHUNK = 500;
export const OLD_BATCH = '1700000000-1';
const LAST_DUE = 1_700_000_000_000;

/** The row key of a page of the table. */
export const oldKey = (n: number): string => rowKeyOf(`http://h${n % 9}.site${n % 31}.com/pages/${n}`);

/** The texts of every tenth page. */
export const oldTexts = (n: number) => ({
  text: `text ${n} `.repeat(n),
  headings: [`heading ${n}`],
  textRanges: [{ start: 0, end: 4, kind: 'prose' as const }],
  outlinks: [{ url: `http://other.com/${n}`, anchor: '' }],
  headers: { 'content-type': 'text/html' },
});

/** Fills a store with rows of version 7. A tenth of them is in a batch, and some in the batch of another state. */
export async function fillOldTable<S extends Store>(
  store: S,
  rows: number,
  seed = 1,
): Promise<{ store: S; held: number }> {
  const random = randomNumbers(seed);
  const { batches, changeRows } = await openTables(store);
  await batches.change(OLD_BATCH, () => ({ state: random() < 0.5 ? 'open' : 'updating', size: rows }));
  let held = 0;
  for (let start = 0; start < rows; start += CHUNK) {
    const keys = Array.from({ length: Math.min(CHUNK, rows - start) }, (_, i) => {
      const n = start + i;
      return oldKey(n);
    });
    const isHeld = keys.map(() => random() < 0.1);
    held += isHeld.filter(Boolean).length;
    await batches.enter(
      OLD_BATCH,
      keys.flatMap((rowKey, i) => (isHeld[i] ? [{ rowKey, queue: 'any' }] : [])),
    );
    await changeRows(keys, [], 1_700_000_000_000, () =>
      keys.map((key, i) => ({
        key,
        set: { status: 'unfetched', score: random(), dueAt: Math.floor(random() * LAST_DUE), cashInFlight: 1 },
        marks: { ...(isHeld[i] && { generate: OLD_BATCH }) },
      })),
    );
  }
  for (let n = 0; n < rows; n += 10) await putOldTexts(store, oldKey(n), oldTexts(n));
  await toVersion7(store);
  return { store, held };
}

/** Makes a table of version 7 in a folder. @returns its number of rows in a batch */
export async function makeOldTable(directory: string, rows: number, seed = 1): Promise<number> {
  const store = await openLevelStore(directory);
  const { held } = await fillOldTable(store, rows, seed);
  await store.close();
  return held;
}

/** Everything that a store holds. Texts are read from their records, because a record that is stored again has another place. */
export async function comparable(store: Store, content = store.content): Promise<unknown> {
  const { content: _, webpage = [], ...rest } = await dumpStore(store);
  const pages = content ? createPages(store, () => content) : (await openTables(store)).pages;
  const texts = [];
  for await (const row of pages.scan({ fields: Object.keys(oldTexts(0)) as (keyof ReturnType<typeof oldTexts>)[] }))
    texts.push(row);
  const rows = webpage.map((row) => ({ ...row, cells: row.cells.filter(([column]) => column !== 'm:ta') }));
  return { ...rest, rows, texts };
}
