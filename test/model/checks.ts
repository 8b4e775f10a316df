/** What must hold: after every write, at every request, and at the end. */
import type { CellStore } from './cell-store.js';
import { FETCHES, placeOf, rowIn, slotOf, timeIn, type Page } from './decide.js';
import type { Web } from './jobs.js';

/** A promise of the design that a history has broken. */
export class Violation extends Error {}

/** A row can be found after every write, and has no link twice. */
export function checkRow(store: CellStore, row: string): void {
  const page = store.get('pages', row)?.value;
  if (!page) return;
  const sources = page.inlinks.map(sourceOf);
  if (new Set(sources).size < sources.length) throw new Violation(`${row} has a link twice: ${sources.join()}`);
  if (!isFound(store, row, page)) throw new Violation(`${row} cannot be found: ${JSON.stringify(page)}`);
}

/** Whether a row has an entry that is not after its due time, or is in the index of a batch that still lists its slot. */
function isFound(store: CellStore, row: string, page: Page): boolean {
  const slot = slotOf(row);
  const entries = store.keys('frontier', `${slot}|`).filter((key) => rowIn(key) === row);
  if (entries.some((key) => timeIn(key) <= page.dueAt)) return true;
  const header = page.heldBy === undefined ? undefined : store.get('batches', page.heldBy)?.value;
  return header?.slots.includes(slot) === true && store.get('index', placeOf(row, page).key) !== undefined;
}

export function isFetched(store: CellStore, web: Web): boolean {
  for (const row of web.keys()) if (store.get('pages', row)?.value?.fetches !== FETCHES) return false;
  return true;
}

/** What a crawl that has ended would not have. */
export function remains(store: CellStore, web: Web): string[] {
  const open = store.keys('batches').filter((key) => store.get('batches', key)!.value.state !== 'closed');
  return [
    ...(isFetched(store, web) ? [] : ['a page that is not fetched']),
    ...open.map((batch) => `batch ${batch}`),
    ...store.keys('inbox').map((entry) => `entry ${entry}`),
  ];
}

/** The links, distances and sums are those of a crawl by one process: each link once for each fetch of its page, and no cash lost or made. */
export function checkEnd(store: CellStore, web: Web, seeds: readonly string[]): void {
  let cash = 0;
  for (const row of web.keys()) {
    const page = store.get('pages', row)!.value!;
    const sources = [...web].filter(([, links]) => links.includes(row)).map(([source]) => source);
    const expected = sources.flatMap((source) => Array.from({ length: FETCHES }, (_, i) => `${source}#${i + 1}`));
    const [wanted, found] = [expected.sort().join(), page.inlinks.map(sourceOf).sort().join()];
    if (wanted !== found) throw new Violation(`${row} has the links ${found}, expected ${wanted}`);
    const distance = Math.min(page.isSeed ? 0 : Infinity, ...page.inlinks.map((link) => Number(link.split(':')[1])));
    if (page.distance !== distance) throw new Violation(`${row} has distance ${page.distance}, expected ${distance}`);
    cash += page.cash;
  }
  if (Math.abs(cash - seeds.length) > 1e-9)
    throw new Violation(`the table has ${cash} of cash, expected ${seeds.length}`);
}

const sourceOf = (inlink: string): string => inlink.split(':')[0]!;
