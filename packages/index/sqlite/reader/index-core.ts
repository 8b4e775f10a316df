import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlError, messageOf } from '../../../errors/index.js';
import type { IndexInfo, SimilarTerm } from '../../reader.js';
import { openDatabase, type Database } from '../database.js';
import { isDamaged, toCrawlError, wrongIndex } from '../errors.js';
import { fileId } from '../file-id.js';
import { mustBeginAsDatabase, mustBeIndex } from '../ownership.js';
import { INDEX_FILE, INDEX_FORMAT } from '../schema.js';
import { createFinder } from './find-best.js';
import { createSpelling } from './spelling.js';

export type IndexCore = ReturnType<typeof createCore>;

export interface IndexLocation {
  readonly folder: string;
  /**
   * The name of the tokenizer that reads queries. An index of another tokenizer is refused. Absent: the index of any tokenizer is accepted,
   * for callers that search no words.
   */
  readonly words?: string | undefined;
  /** The id of the table. The index of another table is refused. Absent: the index of any table is accepted. */
  readonly table?: string | undefined;
}

/** Opens an index at the first query. Before each later query it checks whether the index was rebuilt or deleted. */
export function createCurrentIndex(place: IndexLocation) {
  let open: (Awaited<ReturnType<typeof openIndex>> & { readonly file: string }) | undefined;
  const close = (): void => {
    open?.database.close();
    open = undefined;
  };
  async function current(): Promise<IndexCore> {
    const path = join(place.folder, INDEX_FILE);
    const file = fileId(path);
    if (file === undefined) close();
    if (open && file === open.file) {
      open.check();
      return open.core;
    }
    close();
    if (file === undefined) throw noIndex(`no search index in ${place.folder}`);
    open = { ...(await openIndex(path, place)), file };
    return open.core;
  }
  return {
    /** @throws CrawlError NO_INDEX when there is no usable index, WRONG_INDEX for the index of another table */
    async get(): Promise<IndexCore> {
      try {
        return await current();
      } catch (error) {
        throw toCrawlError(error, place.folder);
      }
    },
    close,
  };
}

async function openIndex(path: string, place: IndexLocation) {
  let database: Database | undefined;
  try {
    database = await openDatabase(path, { readOnly: true });
    database.exec('pragma cache_size=-65536; pragma busy_timeout=5000');
    if (!mustBeIndex(database, place.folder, 'NO_INDEX')) {
      throw noIndex(`the search index in ${place.folder} is an empty file`);
    }
    return { database, check: createCheck(database, place), core: guarded(createCore(database, path), place.folder) };
  } catch (error) {
    database?.close();
    if (!isDamaged(error)) throw error;
    // The error must not promise a rebuild for another file, because a writer rebuilds only damaged databases.
    mustBeginAsDatabase(path, place.folder, 'NO_INDEX');
    throw noIndex(`cannot read the search index in ${path}: ${messageOf(error)}`, error);
  }
}

/**
 * Checks that the index has this table, these words and this format. Returns a function that checks again when the index has changed.
 * @throws CrawlError NO_INDEX when the index has other words or another format, WRONG_INDEX when the index is of another table
 */
function createCheck(database: Database, { folder, words, table }: IndexLocation): () => void {
  const version = database.prepare('pragma data_version');
  const read = database.prepare(`select name, value from info where name in ('format', 'words', 'table')`);
  let seen: unknown;
  const check = (): void => {
    const current = version.get()?.data_version;
    if (current === seen) return;
    const found = new Map(read.all().map(({ name, value }) => [name, String(value)]));
    const format = found.get('format') ?? 'none';
    if (format !== INDEX_FORMAT) throw noIndex(`expected a search index of format ${INDEX_FORMAT}, found ${format}`);
    const others = found.get('words') ?? 'none';
    if (words !== undefined && others !== words) {
      throw new CrawlError('NO_INDEX', `expected a search index of words split by ${words}, found ${others}`, {
        hint:
          'restart this process if webcrawl index has run since with another version of Node.js or of @node-rs/jieba; ' +
          'otherwise webcrawl index rebuilds the index from the table',
      });
    }
    if (table !== undefined && found.get('table') !== table) throw wrongIndex(folder);
    seen = current;
  };
  check();
  return check;
}

function noIndex(message: string, cause?: unknown): CrawlError {
  return new CrawlError('NO_INDEX', message, { hint: 'webcrawl index --all rebuilds it from the table', cause });
}

/** Returns the same functions. The errors of SQLite become CrawlErrors with hints. */
function guarded(core: IndexCore, folder: string): IndexCore {
  const wrap =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return call(...args);
      } catch (error) {
        throw toCrawlError(error, folder);
      }
    };
  const { info, search, documentCounts, similar } = core;
  return { info: wrap(info), search: wrap(search), documentCounts: wrap(documentCounts), similar: wrap(similar) };
}

/** Makes the functions that answer questions to an index. They block the thread that calls them. */
function createCore(database: Database, path: string) {
  const find = createFinder(database, Date.now);
  const spelling = createSpelling(database);
  const info = database.prepare('select name, value from info');
  const languages = database.prepare('select language, count(*) as n from docs group by language');
  return {
    info(): IndexInfo {
      const counts = languages.all().map(({ language, n }) => [String(language), Number(n)] as const);
      const values = new Map(info.all().map(({ name, value }) => [name, String(value)]));
      const files = [path, `${path}-wal`].map((name) => statSync(name, { throwIfNoEntry: false }));
      return {
        documents: counts.reduce((sum, [, count]) => sum + count, 0),
        words: values.get('words') ?? '',
        languages: Object.fromEntries(counts),
        bytes: files.reduce((sum, file) => sum + (file?.size ?? 0), 0),
        changedAt: Number(values.get('changed') ?? 0),
        isWhole: values.get('whole') === 'yes',
      };
    },
    search: find,
    documentCounts: (terms: readonly string[]): number[] => spelling.counts(terms),
    similar: (term: string): SimilarTerm[] => spelling.similar(term),
  };
}
