import { gzipSync } from 'node:zlib';
import { optionalPackage } from '../../errors/index.js';
import type { Part } from '../target/part-file.js';
import type { ColumnType } from './page-columns.js';

/** A column, with how its value is taken from a record. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** One Parquet file that is being written. */
export interface ParquetFile {
  readonly rows: number;
  readonly bytes: number;
  /**
   * Adds a row; what is absent is null.
   * @param values in the order of the columns; times in ms since the epoch, bytes as they are, what is nested as plain JSON
   */
  add(values: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

/** Rows and, about, bytes of values of a row group: both are held in memory. */
const GROUP = { rows: 10_000, bytes: 33_554_432 };
const PACKAGE = 'hyparquet-writer';

/** What makes Parquet files, of a package that has to be installed: see {@link loadParquet}. */
export type Parquet = (part: Part, columns: readonly ParquetColumn[]) => ParquetFile;

/**
 * Loads the package that writes Parquet.
 * @throws CrawlError MISSING_PACKAGE with the line that installs it, where it is missing
 */
export async function loadParquet(): Promise<Parquet> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await optionalPackage(
    PACKAGE,
    'Parquet',
    () => import('hyparquet-writer'),
  );
  return (part, columns) => {
    const writer = new ByteWriter();
    const schema = schemaFromColumnData({
      columnData: columns.map(({ name, type }) => ({ name, data: [], type: type === 'JSON' ? 'STRING' : type })),
    });
    const file = new ParquetWriter({
      writer,
      schema,
      codec: 'GZIP',
      compressors: { GZIP: (data) => gzipSync(data, { level: 1 }) },
      createdBy: 'webcrawl',
    });
    let group: unknown[][] = columns.map(() => []);
    let size = 0;
    let rows = 0;

    /** What the writer has made is taken from it, so that it holds one row group at the most. */
    async function put(count: number): Promise<void> {
      const bytes = writer.getBytes().slice();
      writer.index = 0;
      await part.write(bytes, count);
    }

    async function flush(): Promise<void> {
      const count = group[0]?.length ?? 0;
      if (count === 0) return;
      await file.write({
        columnData: columns.map(({ name }, i) => ({ name, data: group[i]!, offsetIndex: false })),
        rowGroupSize: count,
      });
      group = columns.map(() => []);
      size = 0;
      await put(count);
    }

    return {
      get rows() {
        return rows;
      },
      get bytes() {
        return part.bytes + size;
      },
      async add(values) {
        rows += 1;
        for (const [i, { type }] of columns.entries()) {
          const value = cellOf(values[i], type);
          group[i]!.push(value);
          size += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
        }
        if (group[0]!.length >= GROUP.rows || size >= GROUP.bytes) await flush();
      },
      async end() {
        await flush();
        await file.finish();
        await put(0);
        await part.end();
      },
    };
  };
}

function cellOf(value: unknown, type: ColumnType): unknown {
  if (value === undefined || value === null) return undefined;
  if (type === 'TIMESTAMP') return new Date(value as number);
  if (type === 'JSON') return JSON.stringify(value);
  return value;
}
