/**
 * FROZEN. The keys of the cells of a table in LevelDB. Every key begins with two letters, for table and family. So a family is one range,
 * and a read of one family never touches another family.
 *
 *     packed   prefix row                     all cells of the row in one value, see packed-cells.ts; the same for records
 *     wide     prefix row NUL qualifier       one cell
 *
 * Row keys contain no NUL. So the cells of a row sort before any longer row key, and rows are in order of their keys.
 */
import { TABLES, type FamilyShape, type TableName } from '../../schema.js';
import type { KeyRange } from '../../store.js';

const PREFIXES = {
  webpage: { m: 'wm', l: 'wl', p: 'wp' },
  content: { c: 'cc' },
  frontier: { f: 'ff' },
  batch: { b: 'bb' },
  host: { h: 'hh' },
  rule: { r: 'rr' },
  meta: { v: 'vv' },
} as const satisfies { [T in TableName]: Record<keyof (typeof TABLES)[T], string> };

export interface FamilyLayout {
  readonly name: string;
  readonly shape: FamilyShape;
  readonly prefix: string;
}

const LAYOUTS = new Map(
  Object.entries(PREFIXES).map(([table, prefixes]) => {
    const shapes: Readonly<Record<string, FamilyShape>> = TABLES[table as TableName];
    const families = Object.entries(prefixes).map(([name, prefix]) => ({ name, shape: shapes[name]!, prefix }));
    return [table, families.sort((a, b) => (a.name < b.name ? -1 : 1))];
  }),
);

/** Returns the families of a table in order of their names. So cells that are read family by family are in order of their columns. */
export function familiesOf(table: TableName): readonly FamilyLayout[] {
  return LAYOUTS.get(table)!;
}

/** Whether a key belongs to the family `m` of the pages, which is read and changed most often. */
export const isHot = (key: string): boolean => key.startsWith(PREFIXES.webpage.m);

/** Compares items by their keys in the database. */
export const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);
export const keyOf = ({ key }: { readonly key: string }): string => key;

/** Whether names are in order, without duplicates. */
export function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! >= names[i]!) return false;
  return true;
}

export function wideKey(family: FamilyLayout, rowKey: string, qualifier: string): string {
  return `${family.prefix}${rowKey}\0${qualifier}`;
}

/** Returns the range of the cells of a row in a wide family whose qualifiers have this prefix. */
export function wideRange(family: FamilyLayout, rowKey: string, prefix = ''): { gte: string; lt: string } {
  const gte = wideKey(family, rowKey, prefix);
  return { gte, lt: `${gte}\u007f` };
}

/** The keys of all rows of a range in a packed or wide family. */
export function rangeKeys(family: FamilyLayout, { start, end }: KeyRange): { gte: string; lt: string } {
  const [table, name] = family.prefix as unknown as [string, string];
  const after = table + String.fromCharCode(name.charCodeAt(0) + 1);
  return { gte: family.prefix + bound(start), lt: end === undefined ? after : family.prefix + bound(end) };
}

/**
 * Returns a bound for the keys of a family. A bound with a NUL lies between a row key and all longer keys. Unchanged, it would split the
 * cells of a wide row. So the NUL and all characters after it are replaced.
 */
function bound(key: string): string {
  const nul = key.indexOf('\0');
  return nul < 0 ? key : `${key.slice(0, nul)}\u0001`;
}
