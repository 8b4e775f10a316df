import { join } from 'node:path';
import { INDEX_FILE, openDatabase, type SqlRow } from '../../../packages/index/index.js';

/** The whole content of an index, independent of the order of its changes: documents, and each term with its positions. */
export async function dumpIndex(folder: string): Promise<{ readonly docs: SqlRow[]; readonly terms: string[] }> {
  const database = await openDatabase(join(folder, INDEX_FILE), { readOnly: false });
  try {
    const check = database.prepare('pragma quick_check').get();
    if (check?.quick_check !== 'ok') throw new Error(`the index is damaged: ${String(check?.quick_check)}`);
    database.exec(`insert into fts(fts) values('integrity-check')`);
    database.exec('create virtual table temp.instances using fts5vocab(main, fts, instance)');
    const docs = database
      .prepare('select key, language, fetched, modified, rank, simhash, fingerprint from docs order by key')
      .all();
    const terms = database
      .prepare(
        `select coalesce(d.key, '?') || ' ' || i.col || ' ' || i.offset || ' ' || i.term as place
         from temp.instances i left join docs d on d.id = i.doc order by place`,
      )
      .all();
    return { docs, terms: terms.map(({ place }) => String(place)) };
  } finally {
    database.close();
  }
}
