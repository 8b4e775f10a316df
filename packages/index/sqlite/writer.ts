import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedChanges, IndexChange, IndexDocument, IndexEntry, IndexWriter } from '../../core/index.js';
import { shownTitle } from '../documents/shown-title.js';
import { termsOf } from '../documents/terms.js';
import { createTextSimhash } from '../documents/text-simhash.js';
import type { Words } from '../words/words.js';
import { openDatabase, type Database, type SqlRow } from './database.js';
import { isDamaged, toCrawlError, wrongIndex } from './errors.js';
import { mustBeginAsDatabase, mustBeIndex } from './ownership.js';
import { createSchema, INDEX_FILE, INDEX_FORMAT, TEXT_COLUMNS } from './schema.js';

/**
 * Opens the index in an existing folder for writing in this thread, and creates it if missing. An index with other words or of another
 * format is emptied, and a damaged index is rebuilt. In these cases `isWhole` is false.
 * @param table the id of the table whose pages are written
 * @throws CrawlError WRONG_INDEX for the index of another table, BAD_SETTING for a file of another program, MISSING_PACKAGE, STORE_FULL,
 * STORE_FAILED
 */
export async function openSqliteWriter(folder: string, table: string, words: Words): Promise<IndexWriter> {
  const file = join(folder, INDEX_FILE);
  try {
    try {
      return writerOf(await openDatabase(file, { readOnly: false }), folder, table, words);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      mustBeginAsDatabase(file, folder);
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
      return writerOf(await openDatabase(file, { readOnly: false }), folder, table, words);
    }
  } catch (error) {
    throw toCrawlError(error, folder);
  }
}

/** Makes a writer on an open database. The database is closed when the writer is closed, or when this function throws. */
export function writerOf(database: Database, folder: string, table: string, words: Words): IndexWriter {
  try {
    mustBeIndex(database, folder);
    createSchema(database);
    const info = infoOf(database);
    const other = info.get('table');
    if (other !== undefined && other !== table) throw wrongIndex(folder);
    if (info.get('format') !== INDEX_FORMAT || info.get('words') !== words.name) begin(database, table, words);
    database.prepare(`insert into info values('id', ?) on conflict do nothing`).run(randomUUID());
  } catch (error) {
    database.close();
    throw error;
  }
  const find = database.prepare('select id, fingerprint from docs where key = ?');
  const insert = database.prepare(
    'insert into docs(key, title, language, fetched, modified, rank, simhash, fingerprint) values(?,?,?,?,?,?,?,?) returning id',
  );
  const update = database.prepare(
    'update docs set title = ?, language = ?, fetched = ?, modified = ?, rank = ?, simhash = ?, fingerprint = ? where id = ?',
  );
  const touch = database.prepare('update docs set rank = ?, fetched = ? where key = ? and (rank, fetched) <> (?, ?)');
  const removeDoc = database.prepare('delete from docs where id = ?');
  const addText = database.prepare(`insert into fts(rowid, ${TEXT_COLUMNS.join(', ')}) values(?,?,?,?,?,?,?)`);
  const removeText = database.prepare('delete from fts where rowid = ?');
  const read = database.prepare('select key, rank, fetched, fingerprint from docs where key > ? order by key limit ?');
  const note = database.prepare('insert into info values(?, ?) on conflict do update set value = excluded.value');
  const simhashOf = createTextSimhash();
  const info = infoOf(database);
  let isWhole = info.get('whole') === 'yes';
  const id = info.get('id') ?? '';

  function put(document: IndexDocument): keyof AppliedChanges | undefined {
    const { key, text, language, fetchedAt, modifiedAt, rank, fingerprint } = document;
    const known = find.get(key);
    if (known?.fingerprint === fingerprint) return touched(key, rank, fetchedAt);
    const title = shownTitle(document.title);
    const values = [title, language, fetchedAt, modifiedAt, rank, simhashOf(text), fingerprint];
    if (known) {
      removeText.run(known.id!);
      update.run(...values, known.id!);
    }
    const id = known?.id ?? insert.get(key, ...values)!.id!;
    const terms = termsOf(words, document);
    addText.run(id, ...TEXT_COLUMNS.map((column) => terms[column]));
    return known ? 'changed' : 'added';
  }

  function touched(key: string, rank: number, fetchedAt: number): 'changed' | undefined {
    return touch.run(rank, fetchedAt, key, rank, fetchedAt).changes > 0 ? 'changed' : undefined;
  }

  function change(each: IndexChange): keyof AppliedChanges | undefined {
    if (each.type === 'put') return put(each.document);
    if (each.type === 'touch') return touched(each.key, each.rank, each.fetchedAt);
    const known = find.get(each.key);
    if (!known) return undefined;
    removeText.run(known.id!);
    removeDoc.run(known.id!);
    return 'removed';
  }

  const guarded = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw toCrawlError(error, folder);
    }
  };
  return {
    id,
    get isWhole() {
      return isWhole;
    },
    markWhole: () =>
      guarded(() => {
        note.run('whole', 'yes');
        isWhole = true;
      }),
    apply: (changes) =>
      guarded(() => {
        const applied = { added: 0, changed: 0, removed: 0 };
        if (changes.length === 0) return applied;
        inTransaction(database, () => {
          for (const each of changes) {
            const came = change(each);
            if (came) applied[came] += 1;
          }
          note.run('changed', String(Date.now()));
        });
        return applied;
      }),
    entries: (after, limit) => guarded(() => read.all(after ?? '', limit).map(toEntry)),
    close: async () => database.close(),
  };
}

function toEntry({ key, rank, fetched, fingerprint }: SqlRow): IndexEntry {
  return { key: String(key), rank: Number(rank), fetchedAt: Number(fetched), fingerprint: String(fingerprint) };
}

function infoOf(database: Database): Map<string, string> {
  return new Map(
    database
      .prepare('select name, value from info')
      .all()
      .map(({ name, value }) => [String(name), String(value)]),
  );
}

/** Empties the index. Readers see all old documents or none, never a part of them. */
function begin(database: Database, table: string, words: Words): void {
  const now = String(Date.now());
  inTransaction(database, () => {
    database.exec('drop table fts; drop table docs; delete from info;');
    createSchema(database, { isInTransaction: true });
    const note = database.prepare('insert into info values(?, ?)');
    note.run('format', INDEX_FORMAT);
    note.run('words', words.name);
    note.run('table', table);
    note.run('made', now);
    note.run('changed', now);
  });
}

function inTransaction(database: Database, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    try {
      database.exec('rollback');
    } catch {
      // This error is ignored. If the disk is full, SQLite has already ended the transaction, and the first error gives the reason.
    }
    throw error;
  }
}
