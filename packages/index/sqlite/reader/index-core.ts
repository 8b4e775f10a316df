import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlError, messageOf } from '../../../errors/index.js';
import type { IndexHits, IndexInfo, IndexQuery, SimilarTerm } from '../../reader.js';
import { openDatabase, type Database } from '../database.js';
import { isDamaged, toCrawlError, wrongIndex } from '../errors.js';
import { INDEX_FILE, INDEX_FORMAT } from '../schema.js';
import { createFinder } from './find-best.js';
import { createSpelling } from './spelling.js';

/** All that a reader does, at once and in the thread that calls. */
export interface IndexCore {
  info(): IndexInfo;
  search(query: IndexQuery): IndexHits;
  documentCounts(terms: readonly string[]): number[];
  similar(term: string): SimilarTerm[];
}

/** What is to be read. */
export interface IndexPlace {
  /** The folder of the index. */
  readonly folder: string;
  /** The name of the tokenizer that reads queries: an index of another is refused. Default: any, for who asks no words. */
  readonly words?: string | undefined;
  /** Names the table: an index of another is refused. Default: any. */
  readonly table?: string | undefined;
}

/** An open index: what it does, and the file it was opened from. */
interface OpenIndex {
  readonly core: IndexCore;
  /** @throws CrawlError NO_INDEX where it has become one of other words or another format, WRONG_INDEX of another table */
  check(): void;
  readonly file: string;
  readonly database: Database;
}

/** An index that is opened anew where its file is another one. */
export interface CurrentIndex {
  /** @throws CrawlError NO_INDEX where there is none, or one that cannot be used, WRONG_INDEX where it is that of another table */
  get(): Promise<IndexCore>;
  close(): void;
}

/** Opens an index when it is first asked for. Between two questions it looks whether the index was made anew, or is gone. */
export function createCurrentIndex(place: IndexPlace): CurrentIndex {
  let open: OpenIndex | undefined;
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
    if (file === undefined) throw noIndex(`expected a search index in ${place.folder}, found none`);
    open = { ...(await openIndex(path, place)), file };
    return open.core;
  }
  return {
    async get() {
      try {
        return await current();
      } catch (error) {
        throw toCrawlError(error, place.folder);
      }
    },
    close,
  };
}

function fileId(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  // A file that was made anew may have the number of the one before.
  return found && `${found.dev}/${found.ino}/${found.birthtimeNs}`;
}

async function openIndex(path: string, place: IndexPlace): Promise<Omit<OpenIndex, 'file'>> {
  let database: Database | undefined;
  try {
    database = await openDatabase(path, { readOnly: true });
    database.exec('pragma cache_size=-65536; pragma busy_timeout=5000');
    return { database, check: createCheck(database, place), core: guarded(createCore(database, path), place.folder) };
  } catch (error) {
    database?.close();
    if (!isDamaged(error)) throw error;
    throw noIndex(`expected a search index in ${path}, found a file that cannot be read: ${messageOf(error)}`, error);
  }
}

/**
 * Makes the check that the index is of this table, these words and this format, and checks it. It looks again where the index has
 * changed.
 */
function createCheck(database: Database, { folder, words, table }: IndexPlace): () => void {
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
          'start this process again where webcrawl index has run since by another version of Node.js or of @node-rs/jieba; ' +
          'else webcrawl index makes it anew from the table',
      });
    }
    if (table !== undefined && found.get('table') !== table) throw wrongIndex(folder);
    seen = current;
  };
  check();
  return check;
}

function noIndex(message: string, cause?: unknown): CrawlError {
  return new CrawlError('NO_INDEX', message, { hint: 'webcrawl index --all makes it anew from the table', cause });
}

/** The same, with errors that say what to do. */
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

function createCore(database: Database, path: string): IndexCore {
  const find = createFinder(database, Date.now);
  const spelling = createSpelling(database);
  const info = database.prepare('select name, value from info');
  const languages = database.prepare('select language, count(*) as n from docs group by language');
  return {
    info() {
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
    documentCounts: (terms) => spelling.counts(terms),
    similar: (term) => spelling.similar(term),
  };
}
