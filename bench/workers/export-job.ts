// Runs one export of the benchmark `export`, and measures it.
import { setV8Flags } from '../../packages/util/index.js';
import { openContext } from '../../packages/webcrawl/internal.js';
import { EXPORT_CASES } from '../lib/export-formats.js';
import { givenArgument, reply, watchMemory } from '../lib/worker.js';

setV8Flags();
const { directory, name, output } = givenArgument<{ directory: string; name: string; output: string }>();
await using crawl = await openContext({ table: `level:${directory}` });
const memory = watchMemory();
const cpu = process.cpuUsage();
const start = performance.now();
const { counters } = await EXPORT_CASES[name]!.run(crawl, output);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
// For an archive, `rows` are the pages in it, and `selected` the rows that were read.
const { rows = 0, selected = rows, bytes = 0 } = counters;
reply({ rows: selected, megabytes: bytes / 1e6, seconds, cpuSeconds: (user + system) / 1e6, ...memory() });
