import type { PageRow } from '../../core/index.js';
import type { ParsedOrder, SortField } from './dump-terms.js';

const COMPARED_CHARACTERS = 200;

interface Ranked {
  readonly value: string | number | undefined;
  readonly key: string;
}

/**
 * Returns the keys of the first `limit` rows in an order. Equal rows are in key order, and rows without the field come last. At most twice
 * `limit` keys are in memory.
 */
export async function sortedKeys(
  rows: AsyncIterable<PageRow<SortField>>,
  { field, direction }: ParsedOrder,
  limit: number,
): Promise<readonly string[]> {
  const isBefore = (a: Ranked, b: Ranked): boolean => {
    if (a.value === b.value) return a.key < b.key;
    if (a.value === undefined || b.value === undefined) return b.value === undefined;
    const isLess = a.value < b.value;
    return (direction ?? (typeof a.value === 'string' ? 'asc' : 'desc')) === 'asc' ? isLess : !isLess;
  };
  let first: Ranked[] = [];
  let last: Ranked | undefined;
  const cut = (): void => {
    first = first.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, limit);
    last = first[limit - 1];
  };
  for await (const row of rows) {
    const found = row[field];
    const ranked = { value: typeof found === 'string' ? found.slice(0, COMPARED_CHARACTERS) : found, key: row.key };
    if (last && isBefore(last, ranked)) continue;
    first.push(ranked);
    if (first.length >= 2 * limit) cut();
  }
  cut();
  return first.map(({ key }) => key);
}
