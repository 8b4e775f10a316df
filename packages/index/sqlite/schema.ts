import type { Database } from './database.js';

export const INDEX_FILE = 'index.sqlite';

/**
 * The number of the format. Increase it with every change of the schema, or of the stored form of a document. An index of another format is
 * rebuilt.
 */
export const INDEX_FORMAT = '5';

/**
 * The columns of the full text in order, which is also the order of weights in `bm25()`. Each column has only terms, separated by blanks,
 * which the tokenizer of FTS5 must not split again. The text is the first column because it has most terms: for a term in any other column,
 * FTS5 also stores the number of the column.
 */
export const TEXT_COLUMNS = ['text', 'title', 'headings', 'anchors', 'url', 'names'] as const;

const SCHEMA = `
create table if not exists info(name text primary key, value text not null) strict;
create table if not exists docs(
  id integer primary key,
  key text not null unique,
  title text not null,
  language text not null,
  fetched integer not null,
  modified integer not null,
  rank real not null,
  simhash text not null,
  fingerprint text not null
) strict;
create virtual table if not exists fts using fts5(${TEXT_COLUMNS.join(', ')},
  content='', contentless_delete=1, detail=full, tokenize="ascii tokenchars '.+#'");
`;

/**
 * Settings of every connection that writes. A commit must survive a power failure, because a batch is closed as soon as its pages are in
 * the index.
 */
const PRAGMAS = `
pragma journal_mode=WAL;
pragma synchronous=FULL;
pragma cache_size=-65536;
pragma busy_timeout=5000;
`;

/** Creates missing tables. If no transaction is in progress, it also applies the settings to the connection. */
export function createSchema(database: Database, { isInTransaction = false } = {}): void {
  if (!isInTransaction) database.exec(PRAGMAS);
  database.exec(SCHEMA);
}
