/**
 * FROZEN. Where the cells of a table are in LevelDB. Every key begins with two letters, for table and family, so that
 * a family is one range and reading it never touches another.
 *
 *     packed   prefix row                     all cells of the row in one value, see packed-cells.ts
 *     wide     prefix row NUL qualifier       one cell
 *
 * Row keys hold no NUL, so a row's cells sort before any longer row key and rows keep their order.
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

/** The families of a table in order of their names, so that cells read family by family come in order of their columns. */
export function familiesOf(table: TableName): readonly FamilyLayout[] {
  return LAYOUTS.get(table)!;
}

/** Whether a key is one of the hot family of the pages. */
export const isHot = (key: string): boolean => key.startsWith(PREFIXES.webpage.m);

/** For sorting by the keys in the database. */
export const byKey = (a: { readonly key: string }, b: { readonly key: string }): number => (a.key < b.key ? -1 : 1);
export const keyOf = ({ key }: { readonly key: string }): string => key;

/** Whether names are in order, none of them twice. */
export function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! >= names[i]!) return false;
  return true;
}

/** The key of a cell in a wide family. */
export function wideKey(family: FamilyLayout, rowKey: string, qualifier: string): string {
  return `${family.prefix}${rowKey}\0${qualifier}`;
}

/** The keys of all cells of a row in a wide family whose qualifiers begin so. */
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

/** A bound with a NUL lies between a row key and all longer ones; cut there it would split the cells of a wide row. */
function bound(key: string): string {
  const nul = key.indexOf('\0');
  return nul < 0 ? key : `${key.slice(0, nul)}\u0001`;
}
