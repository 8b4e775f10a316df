// Runs one audit of the benchmark `audit`, reads all its findings, and measures it.
import { setV8Flags } from '../../packages/util/index.js';
import { audit, openContext } from '../../packages/webcrawl/internal.js';
import { bytesOnDisk } from '../lib/measure.js';
import { givenArgument, measured, reply, type TaskCost } from '../lib/worker.js';

/** An audit, and its cost. */
export interface AuditSample extends TaskCost {
  readonly links: number;
  readonly findings: number;
  readonly sortedMb: number;
}

/** Milliseconds between two checks of the size of the temporary files. */
const LOOK = 1000;

setV8Flags();
const { directory, folder } = givenArgument<{ directory: string; folder: string }>();
await using crawl = await openContext({ table: `level:${directory}` });
let sortedMb = 0;
const timer = setInterval(() => {
  void bytesOnDisk(folder).then((bytes) => (sortedMb = Math.max(sortedMb, bytes / 1e6)));
}, LOOK);
const [found, cost] = await measured(async () => {
  await using report = await audit(crawl, { folder });
  let findings = 0;
  for await (const _ of report.findings) findings += 1;
  return { links: report.summary.links, findings };
});
clearInterval(timer);
reply({ ...found, ...cost, sortedMb } satisfies AuditSample);
