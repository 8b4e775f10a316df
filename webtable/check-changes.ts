import { CrawlError, safeText } from '../packages/errors/index.js';
import { TABLES, type TableName } from './schema.js';
import { shapeOf, splitColumn } from './selectors.js';
import type { RowChange } from './store.js';

const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * Holds changes against the schema before any of them is made. Keys and qualifiers are printable ASCII and not empty,
 * so that every store sorts them alike and keeps other bytes for itself; a qualifier does not end in `*`, which would
 * read as a selector.
 * @throws CrawlError STORE_FAILED naming what is wrong
 */
export function checkChanges(table: TableName, changes: readonly RowChange[]): void {
  checkTable(table);
  const good = new Set<string>();
  const check = (column: string): void => {
    if (!good.has(column)) checkColumn(table, column);
    good.add(column);
  };
  for (const { key, put, delete: remove } of changes) {
    if (!PRINTABLE.test(key)) refuse('a row key of printable ASCII', key);
    for (const column of put?.keys() ?? []) check(column);
    for (const column of remove ?? []) check(column);
  }
}

/** @throws CrawlError STORE_FAILED for a table that is not in the schema */
export function checkTable(table: TableName): void {
  if (!Object.hasOwn(TABLES, table)) refuse('a table of the schema', table);
}

function checkColumn(table: TableName, column: string): void {
  const [family, qualifier] = splitColumn(column);
  shapeOf(table, family);
  if (qualifier === undefined || !PRINTABLE.test(qualifier) || qualifier.endsWith('*')) {
    refuse('a column of printable ASCII, family:qualifier', column);
  }
}

function refuse(expected: string, found: string): never {
  throw new CrawlError('STORE_FAILED', `expected ${expected}, found "${safeText(found)}"`);
}
