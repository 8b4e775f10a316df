import { isRecord, json } from '../pages/codec.js';
import type { Field, PageChange, PageRow } from '../pages/page.js';
import { INDEX_COLUMNS, RULE_COLUMN_PREFIX, type TableName } from '../schema.js';
import { scanSteps } from '../scan-steps.js';
import type { Column, KeyRange, RowChange, Store, StoredRow } from '../store.js';
import type { MigrationProgress } from './migrations.js';
import { RENAMED_CODES, RENAMED_FIELDS, RENAMED_KINDS, presentName } from './renamed-names.js';

/** A JSON object as stored. */
type Stored = Readonly<Record<string, unknown>>;

/** The JSON cells outside of the pages that have names of schema 7. */
interface OldCells {
  readonly table: TableName;
  readonly range: KeyRange;
  /** A column, or the prefix of columns. */
  readonly column: string;
  readonly rename: (stored: Stored) => Stored;
  /** Returns the key of the row in schema 8. Absent: the key stays. */
  readonly newKey?: (key: string) => string;
}

/** The fields of a page whose values have names of schema 7. */
export const RENAMED_IN = ['protocolStatus', 'parseStatus'] as const satisfies readonly Field[];
type RenamedRow = PageRow<(typeof RENAMED_IN)[number]>;

/** Returns the values of a row that change in schema 8. */
export function renamedValues({ protocolStatus, parseStatus }: RenamedRow): NonNullable<PageChange['set']> {
  const isOldCode = protocolStatus && Object.hasOwn(RENAMED_CODES, protocolStatus.code);
  const isOldStatus = parseStatus && ('published' in parseStatus || 'modified' in parseStatus);
  return {
    ...(isOldCode && { protocolStatus: withPresentCode({ ...protocolStatus }) }),
    ...(isOldStatus && { parseStatus: renameFields({ ...parseStatus }, RENAMED_FIELDS) }),
  };
}

const OLD_CELLS: readonly OldCells[] = [
  { table: 'host', range: { start: '' }, column: INDEX_COLUMNS.hostBackoff, rename: withPresentCode },
  {
    table: 'meta',
    range: { start: 'audit-asked|', end: 'audit-asked}' },
    column: INDEX_COLUMNS.auditNote,
    rename: (note) => renameFields(withPresentCode(note), { lastOk: 'lastOkAt' }),
    newKey: (key) => key.replace('audit-asked|', 'audit-response|'),
  },
  { table: 'meta', range: { start: 'watch|', end: 'watch}' }, column: INDEX_COLUMNS.watchTarget, rename: renameTarget },
  { table: 'batch', range: { start: 'c|', end: 'c}' }, column: INDEX_COLUMNS.changeEntry, rename: renameChange },
  { table: 'rule', range: { start: 'rules', end: 'rules\u0001' }, column: RULE_COLUMN_PREFIX, rename: renameRule },
  {
    table: 'rule',
    range: { start: 'proposals', end: 'proposals\u0001' },
    column: INDEX_COLUMNS.proposals,
    rename: renameProposals,
  },
];

const STEP = 500;
const codec = json<Stored>(isRecord);

/**
 * Gives the names of schema 8 to the JSON cells outside of the pages. A cell that cannot be read stays, and a second run changes nothing.
 * @returns false if the caller wants the migration to stop
 */
export async function renameStored(store: Store, progress: Pick<MigrationProgress, 'aborted'>): Promise<boolean> {
  for (const cells of OLD_CELLS) {
    const family = cells.column.slice(0, cells.column.indexOf(':'));
    for await (const rows of scanSteps(store, cells.table, [family], [cells.range], STEP)) {
      if (progress.aborted) return false;
      await store.write(
        cells.table,
        rows.flatMap((row) => changesOf(row, cells)),
      );
    }
  }
  return true;
}

function changesOf(row: StoredRow, { column: start, rename, newKey }: OldCells): RowChange[] {
  const put = new Map<Column, Uint8Array>();
  for (const [column, cell] of row.cells) {
    const renamed = column.startsWith(start) ? renamedCell(cell, rename) : undefined;
    if (renamed) put.set(column as Column, renamed);
  }
  const key = newKey?.(row.key) ?? row.key;
  if (key === row.key) return put.size === 0 ? [] : [{ key, put }];
  // The new row is written first, so that a kill loses nothing.
  return [
    { key, put: new Map([...(row.cells as ReadonlyMap<Column, Uint8Array>), ...put]) },
    { key: row.key, clear: true },
  ];
}

/** Returns the cell with present names; undefined if it has them, or cannot be read. */
function renamedCell(cell: Uint8Array, rename: OldCells['rename']): Uint8Array | undefined {
  try {
    const renamed = codec.encode(rename(codec.decode(cell)));
    return Buffer.compare(cell, renamed) === 0 ? undefined : renamed;
  } catch {
    return undefined;
  }
}

/** Renames the fields of an object; their order and their values stay. */
function renameFields<T extends object>(stored: T, names: Readonly<Record<string, string>>): T {
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [presentName(names, name), value])) as T;
}

/** Applies `rename` to the objects in some fields of an object: to the value of a field, or to each item of a list. */
function within(stored: Stored, fields: readonly string[], rename: (inner: Stored) => Stored): Stored {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    return isRecord(value) ? rename(value) : value;
  };
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, fields.includes(name) ? renamed(value) : value]),
  );
}

function withPresentCode<T extends object & { readonly code?: unknown }>(stored: T): T {
  return typeof stored.code === 'string' ? { ...stored, code: presentName(RENAMED_CODES, stored.code) } : stored;
}

function withPresentKinds(stored: Stored): Stored {
  const { kinds } = stored;
  return Array.isArray(kinds)
    ? { ...stored, kinds: kinds.map((kind) => presentName(RENAMED_KINDS, String(kind))) }
    : stored;
}

function renameTarget(target: Stored): Stored {
  const message = { first: 'firstAttemptAt', due: 'dueAt', at: 'givenUpAt' };
  return within(renameFields(withPresentKinds(target), { since: 'addedAt' }), ['waiting', 'deadLetters'], (each) =>
    renameFields(each, message),
  );
}

function renameChange(entry: Stored): Stored {
  return within(renameFields(withPresentKinds(entry), { asked: 'requested' }), ['before', 'after'], (side) =>
    renameFields(withPresentCode(side), { outerLinks: 'externalLinks' }),
  );
}

const EVIDENCE = {
  useful: 'relevant',
  domainUseful: 'domainRelevant',
  usefulOfDomain: 'relevantOfDomain',
};
const CHECK = { reachableUseful: 'reachableRelevant', cut: 'rejected' };

function renameRule(rule: Stored): Stored {
  const present = rule['kind'] === 'useful' ? { ...rule, kind: 'relevant' } : rule;
  return within(present, ['evidence'], (evidence) =>
    within(renameFields(evidence, EVIDENCE), ['check'], (check) => renameFields(check, CHECK)),
  );
}

function renameProposals(stored: Stored): Stored {
  return within(stored, ['proposals'], (proposal) => within(renameRule(proposal), ['rule'], renameRule));
}
