import { number, text } from '../pages/codec.js';
import { putInlinks, type StoredInlink } from '../pages/inlink-cell.js';
import { after } from '../scan-steps.js';
import { FIELD_COLUMNS, INLINK_COLUMN_PREFIX } from '../schema.js';
import type { Column, RowChange, Store, StoredRow } from '../store.js';
import { writeUnchanged, type VersionedChange } from '../write-unchanged.js';
import type { MigrationProgress } from './migrations.js';

/** The columns of the inlinks, and one column of the family `m`: a row with a damaged family `m` cannot be changed. */
const COLUMNS = [`${INLINK_COLUMN_PREFIX}*`, FIELD_COLUMNS.inlinkBound];
/** Maximum number of rows in memory at a time, and maximum bytes of their cells. */
const MOST_ROWS = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/** The change of a row that has inlinks to join. */
interface Joined {
  readonly row: StoredRow;
  readonly change: RowChange | undefined;
  readonly inlinks: number;
  readonly isDamaged: boolean;
}

/**
 * Migrates from version 6 to 7. Version 6 has a cell for each inlink of a row. After the migration, the inlinks of a row are in one cell,
 * or in several cells if one would be too large. Each row changes atomically, so it never has cells of both versions. Cells that cannot be
 * read stay unchanged.
 */
export async function joinInlinks(store: Store, progress: MigrationProgress): Promise<void> {
  for (let start = ''; !progress.aborted;) {
    const rows = await readRows(store, start);
    if (rows.length === 0) return;
    const joined = rows.map(joinRow);
    const changes = joined.flatMap(({ row, change }): VersionedChange[] =>
      change ? [{ change, version: row.version }] : [],
    );
    const lost = await writeUnchanged(store, 'webpage', changes);
    const changed = joined.filter(({ row, change }) => change && !lost.has(row.key));
    progress.count('rows', changed.length);
    progress.count(
      'inlinks',
      changed.reduce((sum, { inlinks }) => sum + inlinks, 0),
    );
    progress.done(changed.length);
    // If another process has changed some rows, all rows of this step are read again. Rows that are already migrated do not change again.
    if (lost.size > 0) continue;
    // A damaged row stays damaged, so it is counted when the step is complete.
    progress.count('damaged', joined.filter(({ isDamaged }) => isDamaged).length);
    start = after(rows.at(-1)!.key);
  }
}

/** Reads the next rows. The last row may exceed the limit of bytes. */
async function readRows(store: Store, start: string): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  let bytes = 0;
  for await (const row of store.scan('webpage', { ranges: [{ start }], columns: COLUMNS, limit: MOST_ROWS })) {
    rows.push(row);
    for (const [column, cell] of row.cells) bytes += column.length + cell.length;
    if (bytes >= MOST_BYTES) break;
  }
  return rows;
}

function joinRow(row: StoredRow): Joined {
  const links = new Map<string, StoredInlink>();
  const old: Column[] = [];
  let isDamaged = row.damaged !== undefined;
  for (const [column, cell] of row.cells) {
    if (!column.startsWith(INLINK_COLUMN_PREFIX)) continue;
    try {
      links.set(column.slice(INLINK_COLUMN_PREFIX.length), oldInlink(cell));
      old.push(column as Column);
    } catch {
      isDamaged = true;
    }
  }
  if (links.size === 0) return { row, change: undefined, inlinks: 0, isDamaged };
  const put = new Map<Column, Uint8Array>();
  putInlinks(put, 0, links);
  if (row.damaged === undefined) {
    for (const column of [FIELD_COLUMNS.inlinkBound, FIELD_COLUMNS.inlinksFolded])
      put.set(column, number.encode(links.size));
  }
  return { row, change: { key: row.key, put, delete: old }, inlinks: links.size, isDamaged };
}

/** Decodes the cell of one inlink in version 6: the score as a number, then the anchor as text. */
function oldInlink(cell: Uint8Array): StoredInlink {
  return { anchor: text.decode(cell.subarray(8)), score: number.decode(cell.subarray(0, 8)) };
}
