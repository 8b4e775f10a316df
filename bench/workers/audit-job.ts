// Runs one audit of the benchmark `audit`, reads all its findings, and measures it.
import { setV8Flags } from '../../packages/util/index.js';
import { audit, openContext } from '../../packages/webcrawl/internal.js';
import { bytesOnDisk } from '../lib/measure.js';
import { givenArgument, reply, watchMemory } from '../lib/worker.js';

/** Milliseconds between two checks of the size of the temporary files. */
const LOOK = 1000;

setV8Flags();
const { directory, folder } = givenArgument<{ directory: string; folder: string }>();
await using crawl = await openContext({ table: `level:${directory}` });
let sortedMb = 0;
const timer = setInterval(() => {
  void bytesOnDisk(folder).then((bytes) => (sortedMb = Math.max(sortedMb, bytes / 1e6)));
}, LOOK);
const memory = watchMemory();
const cpu = process.cpuUsage();
const start = performance.now();
await using report = await audit(crawl, { folder });
let findings = 0;
for await (const _ of report.findings) findings += 1;
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
clearInterval(timer);
const { pages, links } = report.summary;
reply({ pages, links, findings, sortedMb, seconds, cpuSeconds: (user + system) / 1e6, ...memory() });
