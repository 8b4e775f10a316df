import { chunked, openLevelStore, openTables, type PageChange, type Tables } from '../../webtable/index.js';

const CHUNK = 2000;

export async function loadPages(tables: Tables, rows: Iterable<PageChange>, now: number): Promise<void> {
  for await (const changes of chunked(rows, CHUNK))
    await tables.changeRows(
      changes.map(({ key }) => key),
      [],
      now,
      () => changes,
    );
}

export async function fillTable<T>(
  directory: string,
  rows: Iterable<T>,
  write: (tables: Tables, chunk: T[]) => Promise<void>,
): Promise<void> {
  const tables = await openTables(await openLevelStore(directory));
  for await (const chunk of chunked(rows, CHUNK)) await write(tables, chunk);
  await tables.close();
}
