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
import { frontierClock, scheduleOf, scoringOf, type CrawlContext } from './context.js';
import type { JobOptions, Report } from './job.js';
import { parseSeedLine, type Seed } from './seed-line.js';
import { createTracker } from './tracker.js';

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
 * Counters: injected, known, updated, held (by a batch), malformed, rejected_<plugin>.
 */
export async function inject(crawl: CrawlContext, options: InjectOptions): Promise<Report> {
  const tracker = createTracker(crawl, 'inject', options);
  let line = 0;

  async function* accepted(): AsyncGenerator<Seed> {
    for await (const text of options.seeds) {
      if (tracker.aborted) return;
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

  function reject(text: string, reason: string, why: string): undefined {
    tracker.count(reason);
    options.onRejected?.(line, text, why);
  }

  for await (const seeds of chunked(accepted(), CHUNK)) {
    await crawl.table.exclusive('rows', () => injectChunk(crawl, seeds, tracker.count));
    tracker.done(seeds.length);
  }
  return tracker.report();
}

async function injectChunk(
  crawl: CrawlContext,
  chunk: readonly Seed[],
  count: (reason: string) => void,
): Promise<void> {
  // Of one URL given twice, the first line counts, as it does over two runs.
  const seeds = new Map<string, Seed>();
  for (const seed of chunk) {
    const key = rowKeyOf(seed.url);
    if (seeds.has(key)) count('known');
    else seeds.set(key, seed);
  }
  const keys = [...seeds.keys()];
  const rows = await crawl.table.getMany(keys, [...FRONTIER_FIELDS, 'metadata']);
  const changes: IndexedChange[] = [];
  for (const [i, key] of keys.entries()) {
    const seed = seeds.get(key)!;
    const row = rows[i];
    const change = row ? changeOfKnown(crawl, row, seed) : newSeedRow(crawl, key, seed);
    if (typeof change === 'string') {
      count(change);
    } else {
      count(row ? 'updated' : 'injected');
      changes.push({ before: row, change });
    }
  }
  await writeIndexed(crawl.table, changes, frontierClock(crawl));
}

/** What a seed changes in the row that is there, or the counter that says why nothing. */
function changeOfKnown(
  crawl: CrawlContext,
  row: PageRow<'metadata' | 'marks'>,
  seed: Seed,
): PageChange | 'known' | 'held' {
  const { injectorOverwrite, injectorUpdate } = crawl.settings.db;
  if (!injectorOverwrite && !injectorUpdate) return 'known';
  // The batch that holds the row plans its next fetch.
  if (row.marks?.generate !== undefined) return 'held';
  const fresh = newSeedRow(crawl, row.key, seed).set;
  const metadata = injectorOverwrite ? seed.metadata : { ...row.metadata, ...seed.metadata };
  return {
    key: row.key,
    set: {
      metadata,
      ...((injectorOverwrite || seed.fetchInterval !== undefined) && { fetchInterval: fresh.fetchInterval }),
      ...((injectorOverwrite || seed.score !== undefined) && { score: fresh.score, cash: fresh.cash }),
      ...(injectorOverwrite && { fetchTime: fresh.fetchTime }),
    },
    marks: { inject: 'y' },
  };
}

function newSeedRow(crawl: CrawlContext, key: string, seed: Seed) {
  const now = crawl.clock();
  const schedule = scheduleOf(crawl).initialize(now);
  const given = seed.score ?? crawl.settings.db.scoreInjected;
  let score = { score: given, cash: 0 };
  for (const filter of scoringOf(crawl)) score = filter.injected?.(score, seed.url) ?? score;
  return {
    key,
    set: {
      status: 'unfetched' as const,
      fetchTime: schedule.fetchTime,
      fetchInterval: seed.fetchInterval ?? schedule.fetchInterval,
      retries: 0,
      score: score.score,
      cash: score.cash,
      distance: 0,
      ...(Object.keys(seed.metadata).length > 0 && { metadata: seed.metadata }),
    },
    marks: { inject: 'y' },
  };
}
