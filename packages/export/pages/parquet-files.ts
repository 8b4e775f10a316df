import type { Field, PageRow, Tracker } from '../../core/index.js';
import type { PageDump } from './computed-fields.js';
import type { Target, TargetResult } from '../target/target.js';
import type { TypedColumn } from './page-columns.js';
import type { Parquet } from './parquet-file.js';

/** Maximum number of rows, and approximate maximum of bytes, in one file of a folder. */
const FILE = { rows: 1_000_000, bytes: 268_435_456 };

interface PagesAsParquet {
  readonly parquet: Parquet;
  readonly columns: readonly TypedColumn[];
  readonly dump: PageDump['dump'];
  readonly tracker: Pick<Tracker, 'done' | 'aborted' | 'count'>;
  readonly isFolder: boolean;
  /** Limits of a file in a folder. Only tests change the default. */
  readonly most?: { readonly rows: number; readonly bytes: number };
}

/** Writes pages as one Parquet file, or as a folder of Parquet files: `part-00000.parquet` and so on. */
export async function writeParquet(
  target: Target,
  rows: AsyncIterable<PageRow<Field>>,
  { parquet, columns, dump, tracker, isFolder, most = FILE }: PagesAsParquet,
): Promise<TargetResult> {
  let files = 0;
  let file: ReturnType<Parquet> | undefined;
  const next = async (): Promise<ReturnType<Parquet>> => {
    const name = `part-${String(files).padStart(5, '0')}.parquet`;
    files += 1;
    return parquet(await target.part(name), columns);
  };
  for await (const row of rows) {
    file ??= await next();
    const { content } = row;
    const page = dump(row, tracker.count);
    await file.add(columns.map(({ name }) => (name === 'content' ? content : page[name])));
    tracker.done();
    if (!isFolder || (file.rows < most.rows && file.bytes < most.bytes)) continue;
    await file.end();
    file = undefined;
  }
  if (tracker.aborted) return 'stopped';
  // An export without rows has a file too, which names the columns.
  if (files === 0) file = await next();
  await file?.end();
  return {};
}
