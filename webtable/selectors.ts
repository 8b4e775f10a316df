import { CrawlError, safeText } from '../packages/errors/index.js';
import { TABLES, type FamilyShape, type TableName } from './schema.js';
import type { ColumnSelector } from './store.js';

/** Which cells of one family to read. */
export interface FamilySelector {
  readonly exact: ReadonlySet<string>;
  /** Prefixes of qualifiers; the empty prefix means the whole family. */
  readonly prefixes: readonly string[];
}

/**
 * Groups selectors by family. The map has only the families that a selector names.
 * @throws CrawlError STORE_FAILED for an invalid table, family or selector
 */
export function parseSelectors(
  table: TableName,
  selectors: readonly ColumnSelector[],
): ReadonlyMap<string, FamilySelector> {
  const families = new Map<string, { exact: Set<string>; prefixes: string[] }>();
  for (const selector of selectors) {
    const [family, qualifier = '*'] = splitColumn(selector);
    shapeOf(table, family);
    let found = families.get(family);
    if (!found) families.set(family, (found = { exact: new Set(), prefixes: [] }));
    if (qualifier.endsWith('*')) found.prefixes.push(qualifier.slice(0, -1));
    else found.exact.add(qualifier);
  }
  return families;
}

/** Whether the selector includes the cell with this qualifier. */
export function selects(selector: FamilySelector, qualifier: string): boolean {
  return selector.exact.has(qualifier) || selector.prefixes.some((prefix) => qualifier.startsWith(prefix));
}

/** Splits a column into family and qualifier. The qualifier is absent if there is no colon. */
export function splitColumn(column: string): [family: string, qualifier?: string] {
  const colon = column.indexOf(':');
  return colon < 0 ? [column] : [column.slice(0, colon), column.slice(colon + 1)];
}

/** @throws CrawlError STORE_FAILED for a table or a family that is not in the schema */
export function shapeOf(table: TableName, family: string): FamilyShape {
  const families: Readonly<Record<string, FamilyShape>> | undefined = Object.hasOwn(TABLES, table)
    ? TABLES[table]
    : undefined;
  if (!families) throw new CrawlError('STORE_FAILED', `expected a table of the schema, found "${safeText(table, 80)}"`);
  const shape = Object.hasOwn(families, family) ? families[family] : undefined;
  if (!shape) {
    throw new CrawlError('STORE_FAILED', `expected a family of table ${table}, found "${safeText(family, 80)}"`);
  }
  return shape;
}
