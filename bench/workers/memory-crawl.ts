// Crawls the generated web in overlapping rounds until its table has so many rows, and tells of memory on the way.
import { fileURLToPath } from 'node:url';
import { setV8Flags } from '../../packages/util/index.js';
import { jobs, openCrawl } from '../../packages/webcrawl/index.js';
import { pageUrl } from '../lib/endless-web.js';
import { bytesOnDisk } from '../lib/measure.js';
import { storedBytes } from '../lib/stores/stored-bytes.js';
import { givenArgument, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';
import { made } from './memory-web.js';

/** Where to crawl, and how far. */
export interface MemoryCrawl {
  readonly directory: string;
  readonly hosts: number;
  /** Rows of the table at which to tell, in rising order; the crawl ends at the last. */
  readonly marks: readonly number[];
}

/** What has been done when a mark is reached; and memory on the way from the one before, in MB, each the most of that stretch. */
export interface MemoryStretch {
  /** These are of the crawl so far. */
  readonly rows: number;
  readonly links: number;
  readonly fetched: number;
  readonly seconds: number;
  readonly diskMb: number;
  /** What the tables hold in the end, see {@link storedBytes}; only of the last. */
  readonly storedMb?: number;
  /** With what is mapped of the table's files. */
  readonly residentMb: number;
  /** Without; as `residentMb` where the system does not tell them apart. */
  readonly ownMb: number;
  /** What the main thread has for objects. */
  readonly heapMb: number;
  /** What the main thread has beside its heap: bytes of pages and of cells. */
  readonly bytesMb: number;
}

const SEEDS = 100;
const LOOK = 20;
const { directory, hosts, marks } = givenArgument<MemoryCrawl>();
setV8Flags();
const crawl = await openCrawl({
  table: `level:${directory}`,
  settings: {
    'fetcher.serverDelay': 0,
    // Names of this web are in no DNS.
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
// The end of the crawl belongs to the last stretch.
await tell(true);

async function tell(isLast = false): Promise<void> {
  const { residentMb = peakMemoryMb(), ownMb = residentMb, ...javascript } = memory();
  const seconds = (performance.now() - start) / 1000;
  const figures = { ...made, fetched, seconds, residentMb, ownMb, ...javascript };
  const diskMb = (await bytesOnDisk(directory)) / 2 ** 20;
  const storedMb = isLast ? (await storedBytes(directory)) / 2 ** 20 : undefined;
  reply({ ...figures, diskMb, ...(storedMb !== undefined && { storedMb }) } satisfies MemoryStretch);
}
