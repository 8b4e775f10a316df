import { CrawlError } from '../errors/index.js';
import { applyUrlChain } from '../plugin-api/index.js';
import {
  FRONTIER_FIELDS,
  chunked,
  rowKeyOf,
  writeIndexed,
  type IndexedChange,
  type PageChange,
  type PageRow,
} from '../../webtable/index.js';
import type { Count, CounterName } from './counters.js';
import { frontierClock, type CrawlContext } from './context.js';
import type { JobOptions, Report } from './job.js';
import { newRowCells } from './new-row.js';
import { createScoring } from './scoring.js';
import { enterSeedHosts } from './seed-hosts.js';
import { parseSeedLine, type Seed } from './seed-line.js';
import { createTracker } from './tracker.js';
import { untilAborted } from './until-aborted.js';

/** What {@link inject} takes. */
export interface InjectOptions extends JobOptions {
  /**
   * Seed lines: a URL, then tab-separated `key=value`, of which `score` and `fetchInterval` (seconds) are known and the
   * others become metadata. Empty lines and lines that begin with `#` say nothing.
   */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** Called for every line that is not taken, with its number from 1 on and why; both texts are untrusted. */
  readonly onRejected?: (line: number, text: string, reason: string) => void;
}

const CHUNK = 1000;

/**
 * Enters seeds into the table. A seed that is known keeps its row, unless `db.injectorOverwrite` or
 * `db.injectorUpdate` say otherwise. Injecting the same seeds again changes nothing.
 * A known page becomes a seed all the same: its distance is 0 from then on.
 * Counters: injected, known, updated, held (by a batch), damaged, malformed, rejected_<plugin>, plugin_error_<name>.
 */
export async function inject(crawl: CrawlContext, options: InjectOptions): Promise<Report> {
  if (typeof options.seeds === 'string') throw new CrawlError('USAGE', 'expected seeds as lines, found one string');
  const tracker = createTracker(crawl, 'inject', options);
  let line = 0;

  async function* accepted(): AsyncGenerator<Seed> {
    for await (const text of untilAborted(options.seeds, options.signal)) {
      line += 1;
      const seed = readLine(text);
      if (seed) yield seed;
    }
  }

  function readLine(text: string): Seed | undefined {
    const parsed = parseSeedLine(text);
    if (!parsed) return undefined;
    if ('error' in parsed) return reject(text, 'malformed', parsed.error);
    const verdict = applyUrlChain(crawl.plugins, parsed.url, 'inject');
    if (!verdict.accepted) return reject(text, `rejected_${verdict.rejectedBy}`, verdict.rule);
    return { ...parsed, url: verdict.url };
  }

  function reject(text: string, reason: CounterName, why: string): undefined {
    tracker.count(reason);
    options.onRejected?.(line, text, why);
  }

  for await (const seeds of chunked(accepted(), CHUNK)) {
    await crawl.table.exclusive('rows', () => injectChunk(crawl, seeds, tracker.count));
    tracker.done(seeds.length);
  }
  return tracker.report();
}

async function injectChunk(crawl: CrawlContext, chunk: readonly Seed[], count: Count): Promise<void> {
  // Of one URL given twice, the first line counts, as it does over two runs.
  const seeds = new Map<string, Seed>();
  for (const seed of chunk) {
    const key = rowKeyOf(seed.url);
    if (seeds.has(key)) count('known');
    else seeds.set(key, seed);
  }
  const keys = [...seeds.keys()];
  const rows = await crawl.table.getMany(keys, [...FRONTIER_FIELDS, 'metadata', 'distance']);
  const changes: IndexedChange[] = [];
  for (const [i, key] of keys.entries()) {
    const seed = seeds.get(key)!;
    const row = rows[i];
    const change = row ? changeOfKnown(crawl, row, seed, count) : newSeedRow(crawl, key, seed, count);
    if (change) changes.push({ before: row, change });
    if (!row) count('injected');
  }
  await enterSeedHosts(crawl.table.store, keys);
  await writeIndexed(crawl.table, changes, frontierClock(crawl));
}

/** What a seed changes in the row that is there, and the counter for it. */
function changeOfKnown(
  crawl: CrawlContext,
  row: PageRow<'metadata' | 'marks' | 'distance'>,
  seed: Seed,
  count: Count,
): PageChange | undefined {
  const { injectorOverwrite, injectorUpdate } = crawl.settings.db;
  const isHeld = row.marks?.generate !== undefined;
  if (row.damaged) {
    count('damaged');
    return undefined;
  }
  if (isHeld || (!injectorOverwrite && !injectorUpdate)) {
    // The batch that holds a row plans its next fetch.
    count(isHeld && (injectorOverwrite || injectorUpdate) ? 'held' : 'known');
    // A page that was known as a link only is a seed now.
    const isSeed = row.distance === 0 && row.marks?.inject !== undefined;
    return isSeed ? undefined : { key: row.key, set: { distance: 0 }, marks: { inject: 'y' } };
  }
  count('updated');
  const fresh = newSeedRow(crawl, row.key, seed, count).set;
  const metadata = injectorOverwrite ? seed.metadata : { ...row.metadata, ...seed.metadata };
  return {
    key: row.key,
    set: {
      distance: 0,
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...((injectorOverwrite || seed.fetchInterval !== undefined) && { fetchInterval: fresh.fetchInterval }),
      ...((injectorOverwrite || seed.score !== undefined) && { score: fresh.score, cash: fresh.cash }),
      ...(injectorOverwrite && { fetchTime: fresh.fetchTime }),
    },
    unset: injectorOverwrite && Object.keys(metadata).length === 0 ? ['metadata'] : [],
    marks: { inject: 'y' },
  };
}

function newSeedRow(crawl: CrawlContext, key: string, seed: Seed, count: Count) {
  const cells = newRowCells(crawl, count);
  const { score, cash } = createScoring(crawl, count).injected(seed.score ?? crawl.settings.db.scoreInjected, seed.url);
  return {
    key,
    set: {
      ...cells,
      fetchInterval: seed.fetchInterval ?? cells.fetchInterval,
      score,
      cash,
      distance: 0,
      ...(Object.keys(seed.metadata).length > 0 && { metadata: seed.metadata }),
    },
    marks: { inject: 'y' },
  };
}
