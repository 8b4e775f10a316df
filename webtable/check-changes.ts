import { CrawlError, safeText } from '../packages/errors/index.js';
import { TABLES, type TableName } from './schema.js';
import { shapeOf, splitColumn } from './selectors.js';
import type { RowChange } from './store.js';

const PRINTABLE = /^[\x20-\x7e]+$/;
/** The valid columns of each table: a family of the table, then a qualifier that does not end in `*`. */
const COLUMNS = new Map<string, RegExp>(
  Object.entries(TABLES).map(([table, families]) => {
    return [table, new RegExp(`^(?:${Object.keys(families).join('|')}):[ -~]*[ -)+-~]$`)];
  }),
);

/**
 * Checks changes against the schema before any of them is made. Keys and qualifiers must be printable ASCII and not empty. Therefore every
 * store sorts them in the same way, and can use other bytes for its own purposes. A qualifier must not end in `*`, because `*` at the end
 * marks a selector.
 * @throws CrawlError STORE_FAILED that names the wrong part
 */
export function checkChanges(table: TableName, changes: readonly RowChange[]): void {
  checkTable(table);
  const columns = COLUMNS.get(table)!;
  const good = new Set<string>();
  for (const { key, put, delete: remove } of changes) {
    if (!PRINTABLE.test(key)) refuse('a row key of printable ASCII', key);
    if (put) for (const column of put.keys()) if (!isGood(column, columns, good)) refuseColumn(table, column);
    if (remove) for (const column of remove) if (!isGood(column, columns, good)) refuseColumn(table, column);
  }
}

/** @param good columns that matched before; most rows of a call have the same columns, so most checks are lookups */
function isGood(column: string, columns: RegExp, good: Set<string>): boolean {
  if (good.has(column)) return true;
  const matches = columns.test(column);
  if (matches) good.add(column);
  return matches;
}

/** @throws CrawlError STORE_FAILED for a table that is not in the schema */
export function checkTable(table: TableName): void {
  if (!Object.hasOwn(TABLES, table)) refuse('a table of the schema', table);
}

function refuseColumn(table: TableName, column: string): never {
  shapeOf(table, splitColumn(column)[0]);
  refuse('a column of printable ASCII, family:qualifier', column);
}

function refuse(expected: string, found: string): never {
  throw new CrawlError('STORE_FAILED', `expected ${expected}, found "${safeText(found)}"`);
}
