import { CrawlError } from '../../errors/index.js';

export type SqlValue = string | number | null | Uint8Array;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A compiled statement. Values are bound in the order of its question marks. */
interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number };
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): SqlRow[];
}

/** A connection to SQLite with FTS5. All calls block, so connections are opened only in worker threads. */
export interface Database {
  readonly engine: string;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface OpenOptions {
  readonly readOnly: boolean;
}
type Engine = (file: string, options: OpenOptions) => Omit<Database, 'engine'>;

/**
 * Opens a database. It uses `node:sqlite` if this Node has it with FTS5, and otherwise the package `libsql`.
 * @param options readOnly: the file must exist, and nothing is written
 * @throws CrawlError MISSING_PACKAGE if neither is available; the hint is the command that installs `libsql`. The error of SQLite when the
 * file cannot be opened
 */
export async function openDatabase(file: string, options: OpenOptions): Promise<Database> {
  const [engine, open] = await loadEngine();
  return { engine, ...open(file, options) };
}

/** @throws CrawlError MISSING_PACKAGE as {@link openDatabase} */
export async function loadEngine(): Promise<readonly [name: string, open: Engine]> {
  const own = nodeEngine();
  return own ? ['node:sqlite', own] : ['libsql', await libsqlEngine()];
}

interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean },
  ) => { exec(sql: string): void; prepare(sql: string): Statement; close(): void };
}

/** Returns the SQLite of Node. Undefined: this Node has no SQLite, or has SQLite without FTS5, as Node 22 before 22.16. */
function nodeEngine(): Engine | undefined {
  const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  if (!sqlite) return undefined;
  const probe = new sqlite.DatabaseSync(':memory:', { readOnly: false });
  try {
    probe.exec(`create virtual table probe using fts5(a, content='', contentless_delete=1)`);
  } catch {
    return undefined;
  } finally {
    probe.close();
  }
  return (file, options) => {
    const database = new sqlite.DatabaseSync(file, options);
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => database.prepare(sql),
      close: () => database.close(),
    };
  };
}

async function libsqlEngine(): Promise<Engine> {
  const { default: Libsql } = await import('libsql').catch((cause: unknown) => {
    throw new CrawlError('MISSING_PACKAGE', 'the search index needs the package libsql on this version of Node', {
      hint: 'npm install libsql, or use Node 24',
      cause,
    });
  });
  return (file, { readOnly }) => {
    const database = new Libsql(file, { readonly: readOnly, fileMustExist: readOnly });
    return {
      exec: (sql) => void database.exec(sql),
      prepare: (sql) => {
        let statement = database.prepare<SqlValue[]>(sql);
        const use = <T>(step: () => T): T => {
          try {
            return step();
          } catch (error) {
            // The statement is compiled again: libsql does not reset a failed statement, and the next use of the statement would do nothing.
            statement = database.prepare<SqlValue[]>(sql);
            throw error;
          }
        };
        return {
          run: (...values) => use(() => statement.run(...values)),
          get: (...values) => use(() => withoutExtras(statement.get(...values) as SqlRow | undefined)),
          all: (...values) => use(() => statement.all(...values) as SqlRow[]),
        };
      },
      close: () => void database.close(),
    };
  };
}

/** Removes the extra field that `get` of libsql adds to a row. */
function withoutExtras(row: SqlRow | undefined): SqlRow | undefined {
  if (!row) return undefined;
  const { _metadata, ...own } = row;
  return own;
}
