import type { Database } from './database.js';

/** The name of the file within the folder of the index. */
export const INDEX_FILE = 'index.sqlite';

/** Changes with the schema, and with what a document becomes in it: an index of another is made anew. */
export const INDEX_FORMAT = '2';

/**
 * The columns of the full text in order, which is also the order of weights in `bm25()`. Each holds terms, joined by blanks, and
 * nothing else: the tokenizer of FTS5 must not split them again.
 */
export const TEXT_COLUMNS = ['title', 'headings', 'anchors', 'url', 'text'] as const;

const SCHEMA = `
create table if not exists info(name text primary key, value text not null) strict;
create table if not exists docs(
  id integer primary key,
  key text not null unique,
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

/** Settings of every connection that writes. A batch is released once its pages are in here, so a commit must outlast a power failure. */
const PRAGMAS = `
pragma journal_mode=WAL;
pragma synchronous=FULL;
pragma cache_size=-65536;
pragma busy_timeout=5000;
`;

/** Makes what is missing of the tables, and sets up the connection unless a transaction is under way. */
export function createSchema(database: Database, { isInTransaction = false } = {}): void {
  if (!isInTransaction) database.exec(PRAGMAS);
  database.exec(SCHEMA);
}
