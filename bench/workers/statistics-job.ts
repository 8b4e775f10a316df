// Scans a table of the benchmark `statistics`, or counts it by prefix, and measures that.
import { setV8Flags } from '../../packages/util/index.js';
import { openCrawl, prefixStatistics } from '../../packages/webcrawl/index.js';
import { givenArgument, reply, watchMemory } from '../lib/worker.js';

setV8Flags();
const { directory, name } = givenArgument<{ directory: string; name: string }>();
await using crawl = await openCrawl({ table: `level:${directory}` });
const memory = watchMemory();
const cpu = process.cpuUsage();
const start = performance.now();
const { rows, prefixes } = await run();
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
reply({ rows, prefixes, seconds, cpuSeconds: (user + system) / 1e6, ...memory() });

async function run(): Promise<{ rows: number; prefixes: number }> {
  if (name !== 'scan') {
    const min = name === 'all' ? { min: 1 } : {};
    const { counters } = await prefixStatistics.make(crawl, min);
    return { rows: counters['rows'] ?? 0, prefixes: counters['prefixes'] ?? 0 };
  }
  let rows = 0;
  for await (const _row of crawl.tables.pages.scan({ fields: ['status'] })) rows += 1;
  return { rows, prefixes: 0 };
}
