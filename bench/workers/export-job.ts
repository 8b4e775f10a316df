// Runs one export of the benchmark `export`, and measures it.
import { setV8Flags } from '../../packages/util/index.js';
import { openContext } from '../../packages/webcrawl/internal.js';
import { EXPORT_CASES } from '../lib/export-formats.js';
import { givenArgument, measured, reply, type TaskCost } from '../lib/worker.js';

/** An export, and its cost. */
export interface ExportSample extends TaskCost {
  readonly rows: number;
  readonly megabytes: number;
}

setV8Flags();
const { directory, name, output } = givenArgument<{ directory: string; name: string; output: string }>();
await using crawl = await openContext({ table: `level:${directory}` });
const [{ counters }, cost] = await measured(() => EXPORT_CASES[name]!.run(crawl, output));
// For an archive, `rows` are the pages in it, and `selected` the rows that were read.
const { rows = 0, selected = rows, bytes = 0 } = counters;
reply({ rows: selected, megabytes: bytes / 1e6, ...cost } satisfies ExportSample);
