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
import type { CrawlContext, JobContext } from './context.js';
import type { FoundReach } from './hosts/seed-reach.js';
import type { JobOptions, Report } from './reporting/job.js';
import { SITEMAP_INTERVAL, newRowFields } from './rows/new-row.js';
import { createScoring } from './rows/scoring-chain.js';
import { createSeedJudge, enterSeedHosts } from './hosts/seed-hosts.js';
import { parseSeedLine, type Seed } from './inject/seed-line.js';
import { relevanceFields, missingRelevance } from './rules/relevance.js';
import { rulesNow, type RulesInForce } from './rules/rules-now.js';
import { createRowCounts } from './reporting/row-counts.js';
import { createTracker } from './reporting/tracker.js';
import { untilAborted } from './inject/until-aborted.js';
import { hostOf } from '../url/index.js';

/** Options of {@link inject}. */
export interface InjectOptions extends JobOptions {
  /**
   * Seed lines: a URL, then `key=value` pairs, separated by tabs. The keys `score` and `fetchInterval` (seconds) set these fields. Other
   * keys become metadata. Empty lines and lines that begin with `#` are ignored.
   */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** Injects only seeds whose hosts are in the slots of this shard. Give the same seeds to all shards. Absent: all seeds are injected. */
  readonly shard?: Shard;
  /**
   * URLs of sitemaps, sitemap indexes and feeds. Each becomes a seed that is fetched once a day and read as a sitemap. The pages that it
   * lists are added by updatedb after the fetch.
   */
  readonly sitemaps?: Iterable<string>;
  /**
   * Whether a known seed becomes due at once if its last fetch was denied, by 401, by 403 or by robots.txt. The robots.txt is then
   * requested again too. A function decides for each line by its number, from 1 on. Default: false.
   */
  readonly retryDenied?: boolean | ((line: number) => boolean);
  /**
   * Called for every rejected line, with the number of the line, from 1 on, and the reason. `text` and `reason` are untrusted. For a URL of
   * `sitemaps` the number is 0.
   */
  readonly onRejected?: (line: number, text: string, reason: string) => void;
}

/** A seed. `sitemap`: the page is read as a sitemap. */
type InjectedSeed = Seed & { readonly sitemap?: true };
/** An accepted seed, with its URL normalised. */
type TakenSeed = InjectedSeed & { readonly retryDenied: boolean };

const CHUNK = 1000;

/**
 * Adds seeds to the table. A page that already has a row keeps its fields, but becomes a seed with distance 0. The settings
 * `db.injectorOverwrite` and `db.injectorUpdate` change more fields of such a row. If the same seeds are injected again, nothing changes.
 * Counters: `COUNTERS.inject`.
 * @throws CrawlError USAGE for more shards than slots
 */
export async function inject(crawl: JobContext, options: InjectOptions): Promise<Report> {
  return injectSeeds(crawl, options);
}

/**
 * Like {@link inject}.
 * @param onSeed called with the normalised URL of each accepted seed
 */
export async function injectSeeds(
  crawl: JobContext,
  options: InjectOptions,
  onSeed?: (url: string) => void,
): Promise<Report> {
  const tracker = createTracker(crawl, 'inject', options);
  const { timeSlice } = crawl.tables;
  const judge = createSeedJudge(crawl, options.signal);
  const { retryDenied = false, shard } = options;
  const { slots } = crawl.tables;
  const own = shard && new Set(slotsOfShard(slots, shard));
  let line = 0;
  let rules = await rulesNow(crawl);

  async function* accepted(): AsyncGenerator<TakenSeed> {
    for (const url of options.sitemaps ?? []) {
      const seed = accept({ url, fetchInterval: SITEMAP_INTERVAL, metadata: {}, sitemap: true }, url, 0);
      if (seed) yield seed;
    }
    for await (const text of untilAborted(options.seeds, options.signal)) {
      line += 1;
      rules = await rulesNow(crawl);
      const seed = readLine(text);
      // Accepted lines call the store, and so yield to the event loop. Rejected lines do not call the store, so the loop yields here.
      while (timeSlice.isOver) await timeSlice.next();
      if (seed) yield seed;
    }
  }

  function readLine(text: string): TakenSeed | undefined {
    if (typeof text !== 'string') {
      throw new CrawlError('USAGE', `expected seeds that are texts, found a ${typeof text} in line ${line}`);
    }
    const parsed = parseSeedLine(text);
    if (!parsed) return undefined;
    if ('error' in parsed) return reject(line, text, 'malformed', parsed.error);
    return accept(parsed, text, line);
  }

  function accept(seed: InjectedSeed, text: string, line: number): TakenSeed | undefined {
    const verdict = applyUrlChain(rules.plugins, seed.url, 'inject', seed);
    if (!verdict.accepted) return reject(line, text, `rejected_${verdict.rejectedBy}`, verdict.rule);
    onSeed?.(verdict.url);
    if (own && !own.has(slots.of(hostKeyOf(hostOf(verdict.url))))) {
      tracker.count('other_shards');
      return undefined;
    }
    const isRetried = typeof retryDenied === 'function' ? retryDenied(line) : retryDenied;
    return { ...seed, url: verdict.url, retryDenied: isRetried };
  }

  function reject(line: number, text: string, reason: CounterName, why: string): undefined {
    tracker.count(reason);
    options.onRejected?.(line, text, why);
  }

  for await (const seeds of chunked(accepted(), CHUNK)) {
    // Names are looked up before the lock on the rows is taken.
    const reaches = await judge(seeds.map(({ url }) => url));
    await injectChunk(crawl, await rulesNow(crawl), seeds, reaches, tracker.count);
    tracker.done(seeds.length);
  }
  return tracker.report();
}

async function injectChunk(
  crawl: CrawlContext,
  rules: RulesInForce,
  chunk: readonly TakenSeed[],
  reaches: ReadonlyMap<HostKey, FoundReach>,
  count: Count,
): Promise<void> {
  // If a URL occurs twice, its first line is used, as if the lines were injected in two runs.
  const seeds = new Map<string, TakenSeed>();
  for (const seed of chunk) {
    const key = rowKeyOf(seed.url);
    if (seeds.has(key)) count('known');
    else seeds.set(key, seed);
  }
  const { tables } = crawl;
  const now = crawl.clock();
  const fields = ['metadata', 'distance', 'protocolStatus', 'sitemap', 'relevant'] as const;
  const counts = createRowCounts(count);
  await tables.changeRows([...seeds.keys()], fields, now, async (rows, keys) => {
    const changes: (PageChange | undefined)[] = [];
    for (const [i, key] of keys.entries()) {
      const seed = seeds.get(key)!;
      const row = rows[i];
      const countRow = counts.of(key);
      let change = row
        ? changeOfKnown(crawl, rules, row, seed, now, countRow)
        : newSeedRow(crawl, rules, key, seed, now, countRow);
      if (row && seed.retryDenied && isDenied(row, now)) {
        countRow('denied_before');
        await tables.hosts.robots.remove(new URL(seed.url).origin);
        change = { ...change, key, set: { ...change?.set, dueAt: now } };
      }
      if (!row) countRow('injected');
      changes.push(change);
    }
    await enterSeedHosts(tables, keys, reaches);
    return changes;
  });
  counts.end();
}

/**
 * Whether the last fetch of a page was denied, and the page is not due. A new request may be allowed: the crawl may have a password or
 * another agent name now, or the site may have another robots.txt.
 */
function isDenied(row: PageRow<'dueAt' | 'marks' | 'protocolStatus'>, now: number): boolean {
  if (row.damaged || isHeld(row) || (row.dueAt ?? 0) <= now) return false;
  const { code, http } = row.protocolStatus ?? {};
  return http === 401 || http === 403 || code === 'robots_denied' || code === 'crawl_delay_too_long';
}

/** Counts a seed whose row exists, and returns the change of the row. Returns undefined if nothing changes. */
function changeOfKnown(
  crawl: CrawlContext,
  rules: RulesInForce,
  row: PageRow<'metadata' | 'marks' | 'distance' | 'sitemap'>,
  seed: InjectedSeed,
  now: number,
  count: Count,
): PageChange | undefined {
  const { injectorOverwrite, injectorUpdate } = crawl.settings.db;
  if (row.damaged) {
    count('damaged');
    return undefined;
  }
  if (isHeld(row) || (!injectorOverwrite && !injectorUpdate)) {
    // The batch that holds a row plans the next fetch of the row, so the row is not changed.
    count(isHeld(row) && (injectorOverwrite || injectorUpdate) ? 'held' : 'known');
    // A page that was found through a link becomes a seed.
    const isSeed =
      row.distance === 0 && row.marks?.inject !== undefined && row.sitemap === (seed.sitemap ?? row.sitemap);
    return isSeed ? undefined : { key: row.key, set: { distance: 0, ...sitemapOf(seed) }, marks: { inject: 'y' } };
  }
  count('updated');
  const fresh = newSeedRow(crawl, rules, row.key, seed, now, count).set;
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
        ...relevanceFields(rules, seed.url),
      }),
      ...(injectorOverwrite && { dueAt: fresh.dueAt }),
    },
    unset: [
      ...(injectorOverwrite && Object.keys(metadata).length === 0 ? (['metadata'] as const) : []),
      ...(injectorOverwrite || seed.score !== undefined ? missingRelevance(rules, seed.url) : []),
    ],
    marks: { inject: 'y' },
  };
}

function sitemapOf({ sitemap }: InjectedSeed): { readonly sitemap?: true } {
  return sitemap ? { sitemap } : {};
}

function newSeedRow(
  crawl: CrawlContext,
  rules: RulesInForce,
  key: string,
  seed: InjectedSeed,
  now: number,
  count: Count,
) {
  const fields = newRowFields(crawl, count, now);
  const { score, cash } = createScoring(rules, count).injected(seed.score ?? crawl.settings.db.scoreInjected, seed.url);
  return {
    key,
    set: {
      ...fields,
      fetchInterval: seed.fetchInterval ?? fields.fetchInterval,
      score,
      cash,
      ...relevanceFields(rules, seed.url),
      distance: 0,
      ...sitemapOf(seed),
      ...(Object.keys(seed.metadata).length > 0 && { metadata: seed.metadata }),
    },
    marks: { inject: 'y' },
  };
}
