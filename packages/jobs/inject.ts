import { CrawlError } from '../errors/index.js';
import { applyUrlChain } from '../plugin-api/index.js';
import {
  chunked,
  hostKeyOf,
  isHeld,
  rowKeyOf,
  slotsOfShard,
  type HostKey,
  type PageChange,
  type PageRow,
  type Shard,
} from '../../webtable/index.js';
import type { Count, CounterName } from './reporting/counters.js';
import type { CrawlContext } from './context.js';
import type { FoundReach } from './hosts/seed-reach.js';
import type { JobOptions, Report } from './reporting/job.js';
import { SITEMAP_INTERVAL, newRowFields } from './rows/new-row.js';
import { createScoring } from './rows/scoring-chain.js';
import { createSeedJudge, enterSeedHosts } from './hosts/seed-hosts.js';
import { parseSeedLine, type Seed } from './inject/seed-line.js';
import { fitFields, missingFit } from './rules/fit.js';
import { withRules } from './rules/with-rules.js';
import { createRowCounts } from './reporting/row-counts.js';
import { createTracker } from './reporting/tracker.js';
import { untilAborted } from './inject/until-aborted.js';
import { hostOf } from '../url/index.js';

/** What {@link inject} takes. */
export interface InjectOptions extends JobOptions {
  /**
   * Seed lines: a URL, then tab-separated `key=value`, of which `score` and `fetchInterval` (seconds) are known and the
   * others become metadata. Empty lines and lines that begin with `#` say nothing.
   */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** Only the seeds of hosts in the slots of this shard are taken: all shards are given the same. Absent: all. */
  readonly shard?: Shard;
  /**
   * URLs of sitemaps, of indexes of sitemaps and of feeds. Each becomes a seed that is fetched once a day and read as a
   * sitemap; the pages that it names are added when it is.
   */
  readonly sitemaps?: Iterable<string>;
  /**
   * Whether a seed that is known is due at once where its last fetch was denied: by 401 or 403, or by robots.txt, which is
   * then fetched anew. A function is asked with the number of its line, from 1 on. Default: false.
   */
  readonly retryDenied?: boolean | ((line: number) => boolean);
  /**
   * Called for every line that is not taken, with its number from 1 on and why; both texts are untrusted. The number is 0
   * for one of `sitemaps`.
   */
  readonly onRejected?: (line: number, text: string, reason: string) => void;
}

/** A seed; `sitemap` where it is to be read as one. */
type InjectedSeed = Seed & { readonly sitemap?: true };
/** One whose URL is normalised. */
type TakenSeed = InjectedSeed & { readonly retryDenied: boolean };

const CHUNK = 1000;

/**
 * Enters seeds into the table. A seed that is known keeps its row, unless `db.injectorOverwrite` or
 * `db.injectorUpdate` say otherwise. Injecting the same seeds again changes nothing.
 * A known page becomes a seed all the same: its distance is 0 from then on.
 * Counters: `COUNTERS.inject`.
 * @throws CrawlError USAGE for more shards than slots
 */
export async function inject(crawl: CrawlContext, options: InjectOptions): Promise<Report> {
  return injectSeeds(crawl, options);
}

/** The same. @param onSeed called with the normalised URL of each seed that the rules take */
export async function injectSeeds(
  crawl: CrawlContext,
  options: InjectOptions,
  onSeed?: (url: string) => void,
): Promise<Report> {
  if (typeof options.seeds === 'string') throw new CrawlError('USAGE', 'expected seeds as lines, found one string');
  const tracker = createTracker(crawl, 'inject', options);
  const { turns } = crawl.tables;
  const judge = createSeedJudge(crawl, options.signal);
  const { retryDenied = false, shard } = options;
  const { slots } = crawl.tables;
  const own = shard && new Set(slotsOfShard(slots, shard));
  let line = 0;
  /** With the rules by which the lines of now go. */
  let ruled = await withRules(crawl);

  async function* accepted(): AsyncGenerator<TakenSeed> {
    for (const url of options.sitemaps ?? []) {
      const seed = accept({ url, fetchInterval: SITEMAP_INTERVAL, metadata: {}, sitemap: true }, url, 0);
      if (seed) yield seed;
    }
    for await (const text of untilAborted(options.seeds, options.signal)) {
      line += 1;
      ruled = await withRules(crawl);
      const seed = readLine(text);
      // Of lines that are rejected no store hears.
      while (turns.isDue) await turns.next();
      if (seed) yield seed;
    }
  }

  function readLine(text: string): TakenSeed | undefined {
    const parsed = parseSeedLine(text);
    if (!parsed) return undefined;
    if ('error' in parsed) return reject(line, text, 'malformed', parsed.error);
    return accept(parsed, text, line);
  }

  function accept(seed: InjectedSeed, text: string, line: number): TakenSeed | undefined {
    const verdict = applyUrlChain(ruled.plugins, seed.url, 'inject', seed);
    if (!verdict.accepted) return reject(line, text, `rejected_${verdict.rejectedBy}`, verdict.rule);
    if (own && !own.has(slots.of(hostKeyOf(hostOf(verdict.url))))) {
      tracker.count('other_shards');
      return undefined;
    }
    onSeed?.(verdict.url);
    const isRetried = typeof retryDenied === 'function' ? retryDenied(line) : retryDenied;
    return { ...seed, url: verdict.url, retryDenied: isRetried };
  }

  function reject(line: number, text: string, reason: CounterName, why: string): undefined {
    tracker.count(reason);
    options.onRejected?.(line, text, why);
  }

  for await (const seeds of chunked(accepted(), CHUNK)) {
    // Names are looked up before anybody has to wait for the rows.
    const reaches = await judge(seeds.map(({ url }) => url));
    await injectChunk(await withRules(crawl), seeds, reaches, tracker.count);
    tracker.done(seeds.length);
  }
  return tracker.report();
}

async function injectChunk(
  crawl: CrawlContext,
  chunk: readonly TakenSeed[],
  reaches: ReadonlyMap<HostKey, FoundReach>,
  count: Count,
): Promise<void> {
  // Of one URL given twice, the first line counts, as it does over two runs.
  const seeds = new Map<string, TakenSeed>();
  for (const seed of chunk) {
    const key = rowKeyOf(seed.url);
    if (seeds.has(key)) count('known');
    else seeds.set(key, seed);
  }
  const { tables, clock } = crawl;
  const fields = ['metadata', 'distance', 'protocolStatus', 'sitemap', 'fit'] as const;
  const counts = createRowCounts(count);
  await tables.changeRows([...seeds.keys()], fields, clock(), async (rows, keys) => {
    const changes: (PageChange | undefined)[] = [];
    for (const [i, key] of keys.entries()) {
      const seed = seeds.get(key)!;
      const row = rows[i];
      const countRow = counts.of(key);
      let change = row ? changeOfKnown(crawl, row, seed, countRow) : newSeedRow(crawl, key, seed, countRow);
      if (row && seed.retryDenied && isDenied(crawl, row)) {
        countRow('denied_before');
        await tables.hosts.robots.remove(new URL(seed.url).origin);
        change = { ...change, key, set: { ...change?.set, dueAt: clock() } };
      }
      if (!row) countRow('injected');
      changes.push(change);
    }
    await enterSeedHosts(tables, keys, reaches);
    return changes;
  });
  counts.end();
}

/** Whether a row waits although it may be let in by now: for a password, another name or another robots.txt. */
function isDenied(crawl: CrawlContext, row: PageRow<'dueAt' | 'marks' | 'protocolStatus'>): boolean {
  if (row.damaged || isHeld(row) || (row.dueAt ?? 0) <= crawl.clock()) return false;
  const { code, http } = row.protocolStatus ?? {};
  return http === 401 || http === 403 || code === 'robots_denied' || code === 'crawl_delay_too_long';
}

/** What a seed changes in the row that is there, and the counter for it. */
function changeOfKnown(
  crawl: CrawlContext,
  row: PageRow<'metadata' | 'marks' | 'distance' | 'sitemap'>,
  seed: InjectedSeed,
  count: Count,
): PageChange | undefined {
  const { injectorOverwrite, injectorUpdate } = crawl.settings.db;
  if (row.damaged) {
    count('damaged');
    return undefined;
  }
  if (isHeld(row) || (!injectorOverwrite && !injectorUpdate)) {
    // The batch that holds a row plans its next fetch.
    count(isHeld(row) && (injectorOverwrite || injectorUpdate) ? 'held' : 'known');
    // A page that was known as a link only is a seed now.
    const isSeed =
      row.distance === 0 && row.marks?.inject !== undefined && row.sitemap === (seed.sitemap ?? row.sitemap);
    return isSeed ? undefined : { key: row.key, set: { distance: 0, ...sitemapOf(seed) }, marks: { inject: 'y' } };
  }
  count('updated');
  const fresh = newSeedRow(crawl, row.key, seed, count).set;
  const metadata = injectorOverwrite ? seed.metadata : { ...row.metadata, ...seed.metadata };
  return {
    key: row.key,
    set: {
      distance: 0,
      ...sitemapOf(seed),
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...((injectorOverwrite || seed.fetchInterval !== undefined) && { fetchInterval: fresh.fetchInterval }),
      ...((injectorOverwrite || seed.score !== undefined) && {
        score: fresh.score,
        cash: fresh.cash,
        ...fitFields(crawl, seed.url),
      }),
      ...(injectorOverwrite && { dueAt: fresh.dueAt }),
    },
    unset: [
      ...(injectorOverwrite && Object.keys(metadata).length === 0 ? (['metadata'] as const) : []),
      ...(injectorOverwrite || seed.score !== undefined ? missingFit(crawl, seed.url) : []),
    ],
    marks: { inject: 'y' },
  };
}

function sitemapOf({ sitemap }: InjectedSeed): { readonly sitemap?: true } {
  return sitemap ? { sitemap } : {};
}

function newSeedRow(crawl: CrawlContext, key: string, seed: InjectedSeed, count: Count) {
  const fields = newRowFields(crawl, count);
  const { score, cash } = createScoring(crawl, count).injected(seed.score ?? crawl.settings.db.scoreInjected, seed.url);
  return {
    key,
    set: {
      ...fields,
      fetchInterval: seed.fetchInterval ?? fields.fetchInterval,
      score,
      cash,
      ...fitFields(crawl, seed.url),
      distance: 0,
      ...sitemapOf(seed),
      ...(Object.keys(seed.metadata).length > 0 && { metadata: seed.metadata }),
    },
    marks: { inject: 'y' },
  };
}
