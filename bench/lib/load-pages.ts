import { chunked, type PageChange, type Tables } from '../../webtable/index.js';

const CHUNK = 2000;

/** Puts new rows into a table, with their entries of the frontier. */
export async function loadPages(tables: Tables, rows: Iterable<PageChange>, now: number): Promise<void> {
  for await (const changes of chunked(rows, CHUNK))
    await tables.changeRows(
      changes.map(({ key }) => key),
      [],
      now,
      () => changes,
    );
}
