import { CrawlError, safeText } from '../packages/errors/index.js';
import { TABLES, type TableName } from './schema.js';
import { shapeOf } from './selectors.js';
import type { RowChange } from './store.js';

const PRINTABLE = /^[\x20-\x7e]+$/;
/** A family, then a qualifier that does not end in `*`. */
const COLUMN = /^[^:]*:[\x20-\x7e]*[\x20-)+-\x7e]$/;

/** Names no longer than this are few, those of fields: each is looked at once in a call. */
const SHORT_COLUMN = 8;

/**
 * Holds changes against the schema before any of them is made. Keys and qualifiers are printable ASCII and not empty,
 * so that every store sorts them alike and keeps other bytes for itself; a qualifier does not end in `*`, which would
 * read as a selector.
 * @throws CrawlError STORE_FAILED naming what is wrong
 */
export function checkChanges(table: TableName, changes: readonly RowChange[]): void {
  checkTable(table);
  const good = new Set<string>();
  for (const { key, put, delete: remove } of changes) {
    if (!PRINTABLE.test(key)) refuse('a row key of printable ASCII', key);
    if (put) for (const column of put.keys()) checkOnce(table, column, good);
    if (remove) for (const column of remove) checkOnce(table, column, good);
  }
}

function checkOnce(table: TableName, column: string, good: Set<string>): void {
  if (good.has(column)) return;
  checkColumn(table, column);
  if (column.length <= SHORT_COLUMN) good.add(column);
}

/** @throws CrawlError STORE_FAILED for a table that is not in the schema */
export function checkTable(table: TableName): void {
  if (!Object.hasOwn(TABLES, table)) refuse('a table of the schema', table);
}

function checkColumn(table: TableName, column: string): void {
  const colon = column.indexOf(':');
  shapeOf(table, colon < 0 ? column : column.slice(0, colon));
  if (!COLUMN.test(column)) refuse('a column of printable ASCII, family:qualifier', column);
}

function refuse(expected: string, found: string): never {
  throw new CrawlError('STORE_FAILED', `expected ${expected}, found "${safeText(found)}"`);
}
