// Crawls the generated web in overlapping rounds until its table has a number of rows, and reports memory on the way.
import { fileURLToPath } from 'node:url';
import { setV8Flags } from '../../packages/util/index.js';
import { jobs, openContext } from '../../packages/webcrawl/internal.js';
import { pageUrl } from '../lib/endless-web.js';
import { bytesOnDisk } from '../lib/measure.js';
import { storedBytes } from '../lib/stores/stored-bytes.js';
import { givenArgument, reply, watchMemory } from '../lib/worker.js';
import { made } from './memory-web.js';

/** The crawl to run. */
export interface MemoryCrawl {
  readonly directory: string;
  readonly hosts: number;
  /** Numbers of rows at which to report, ascending. The crawl ends at the last one. */
  readonly marks: readonly number[];
}

/** A report at a mark: the work so far, and the peaks of memory in MB since the mark before. */
export interface MemoryStretch {
  /** Sums over the crawl so far. */
  readonly rows: number;
  readonly links: number;
  readonly fetched: number;
  readonly seconds: number;
  readonly diskMb: number;
  /** Size of the stored data at the end, see {@link storedBytes}; only in the last report. */
  readonly storedMb?: number;
  /** Including mapped files of the table. */
  readonly residentMb: number;
  /** Without them; equal to `residentMb` if the system does not distinguish them. */
  readonly ownMb: number;
  /** The heap of the main thread. */
  readonly heapMb: number;
  /** Bytes of the main thread outside of its heap: bytes of pages and of cells. */
  readonly bytesMb: number;
}

const SEEDS = 100;
const LOOK = 20;
const { directory, hosts, marks } = givenArgument<MemoryCrawl>();
setV8Flags();
const crawl = await openContext({
  table: `level:${directory}`,
  settings: {
    'fetcher.serverDelay': 0,
    // The names of this web are not in DNS.
    'http.privateAddresses': 'allow',
    plugins: [fileURLToPath(new URL('memory-web.js', import.meta.url))],
  },
});
const controller = new AbortController();
const start = performance.now();
const memory = watchMemory();
let fetched = 0;
const left = [...marks];
const told: Promise<void>[] = [];
const timer = setInterval(() => {
  if (made.rows < (left[0] ?? Infinity)) return;
  left.shift();
  if (left.length > 0) told.push(tell());
  else controller.abort();
}, LOOK);
const seeds = Array.from({ length: Math.min(SEEDS, hosts) }, (_, i) => pageUrl(hosts, i, 0));
await jobs.crawl(crawl, {
  seeds,
  stay: 'any',
  signal: controller.signal,
  onProgress: ({ done }) => (fetched = done),
});
clearInterval(timer);
await crawl.close();
await Promise.all(told);
// The last report includes the end of the crawl.
await tell(true);

async function tell(isLast = false): Promise<void> {
  const seconds = (performance.now() - start) / 1000;
  const figures = { ...made, fetched, seconds, ...memory() };
  const diskMb = (await bytesOnDisk(directory)) / 2 ** 20;
  const storedMb = isLast ? (await storedBytes(directory)) / 2 ** 20 : undefined;
  reply({ ...figures, diskMb, ...(storedMb !== undefined && { storedMb }) } satisfies MemoryStretch);
}
