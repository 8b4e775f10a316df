import { gzipSync } from 'node:zlib';
import { optionalPackage } from '../../errors/index.js';
import type { Part } from '../target/part-file.js';
import type { ColumnType, TypedColumn } from './page-columns.js';

/** Maximum number of rows, and approximate maximum of bytes, in a row group. A row group is in memory until it is complete. */
const GROUP = { rows: 10_000, bytes: 33_554_432 };
const PACKAGE = 'hyparquet-writer';

export type Parquet = Awaited<ReturnType<typeof loadParquet>>;

/** @throws CrawlError MISSING_PACKAGE if the package is missing. The hint is the command that installs the package */
export async function loadParquet() {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await optionalPackage(
    PACKAGE,
    'Parquet',
    () => import('hyparquet-writer'),
  );
  return (part: Part, columns: readonly TypedColumn[]) => {
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

    /** Writes the bytes of the Parquet writer to the file, and empties the writer. So the writer has at most one row group in memory. */
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
      /**
       * Adds a row. Absent values are null.
       * @param values the values in the order of the columns. Times are in ms since the epoch, bytes are unchanged, nested values are plain
       * JSON
       */
      async add(values: readonly unknown[]): Promise<void> {
        rows += 1;
        for (const [i, { type }] of columns.entries()) {
          const value = cellOf(values[i], type);
          group[i]!.push(value);
          size += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
        }
        if (group[0]!.length >= GROUP.rows || size >= GROUP.bytes) await flush();
      },
      async end(): Promise<void> {
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
  if (type === 'INT64') return BigInt(value as number);
  if (type === 'TIMESTAMP') return new Date(value as number);
  if (type === 'JSON') return JSON.stringify(value);
  return value;
}
