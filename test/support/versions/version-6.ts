import { text } from '../../../webtable/pages/codec.js';
import type { Inlink, Store, StoredRow } from '../../../webtable/index.js';
import { urlOf } from '../../../webtable/index.js';

/** A source, by its row key, and what its link has. */
export type OldInlinks = ReadonlyMap<string, Omit<Inlink, 'url'>>;

/** Writes inlinks as version 6 did: a cell for each, and the bound of their number. */
export async function putOldInlinks(
  store: Store,
  rows: readonly { readonly key: string; readonly inlinks: OldInlinks; readonly bound?: number }[],
): Promise<void> {
  await store.write(
    'webpage',
    rows.map(({ key, inlinks, bound = inlinks.size }) => ({
      key,
      put: new Map([
        ['m:in' as const, double(bound)],
        ...Array.from(inlinks, ([source, link]) => [`l:i:${source}` as const, oldCell(link)] as const),
      ]),
    })),
  );
}

/** Gives a table a version, as a text. */
export function setVersion(store: Store, version: string): Promise<void> {
  return store.write('meta', [{ key: 'schema', put: new Map([['v:n', text.encode(version)]]) }]);
}

/** The version of a table. */
export async function versionOf(store: Store): Promise<string | undefined> {
  const [row] = await store.get('meta', ['schema'], ['v:n']);
  return row && text.decode(row.cells.get('v:n')!);
}

/** The inlinks of a row, read as version 6 did. */
export function oldInlinks({ cells }: StoredRow): Inlink[] {
  const inlinks: Inlink[] = [];
  for (const [column, cell] of cells) {
    if (!column.startsWith('l:i:')) continue;
    const view = new DataView(cell.buffer, cell.byteOffset);
    inlinks.push({
      url: urlOf(column.slice('l:i:'.length)),
      anchor: text.decode(cell.subarray(8)),
      score: view.getFloat64(0),
    });
  }
  return inlinks;
}

function oldCell({ anchor, score }: Omit<Inlink, 'url'>): Uint8Array {
  return Buffer.concat([double(score), Buffer.from(anchor, 'utf8')]);
}

function double(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
