import type { Field, PageRow } from '../../../webtable/index.js';
import type { Tracker } from '../../jobs/index.js';
import type { PageDump } from './computed-fields.js';
import type { Target, TargetResult } from '../target/target.js';
import type { ExportSizes } from './sizes.js';
import type { Parquet, ParquetColumn, ParquetFile } from './parquet-file.js';

/** How pages become Parquet. */
export interface PagesAsParquet {
  readonly parquet: Parquet;
  readonly columns: readonly ParquetColumn[];
  /** A row as plain JSON, without its body. */
  readonly dump: PageDump['dump'];
  readonly tracker: Pick<Tracker, 'done' | 'aborted'>;
  /** false: all goes into one file, which begins anew after a kill. */
  readonly isFolder: boolean;
  readonly sizes: ExportSizes;
}

/** Writes pages as one Parquet file, or as a folder of them: `part-00000.parquet` and so on. */
export async function writeParquet(
  target: Target,
  rows: AsyncIterable<PageRow<Field>>,
  { parquet, columns, dump, tracker, isFolder, sizes }: PagesAsParquet,
): Promise<TargetResult> {
  let files = target.kept.parts;
  let file: ParquetFile | undefined;
  const next = async (): Promise<ParquetFile> => {
    const name = `part-${String(files).padStart(5, '0')}.parquet`;
    files += 1;
    return parquet(await target.part(name), columns);
  };
  for await (const row of rows) {
    file ??= await next();
    const { content } = row;
    const page = dump(row);
    await file.add(columns.map(({ name }) => (name === 'content' ? content : page[name])));
    tracker.done();
    if (!isFolder || (file.rows < sizes.parquetRows && file.bytes < sizes.parquetBytes)) continue;
    await file.end();
    file = undefined;
    await target.checkpoint({ lastKey: row.key });
  }
  if (tracker.aborted) return 'stopped';
  // An export without a row still says what its columns are.
  if (files === 0) file = await next();
  await file?.end();
  return {};
}
