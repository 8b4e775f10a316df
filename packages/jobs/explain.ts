import {
  hostKeyOf,
  rowKeyOf,
  type BackoffRecord,
  type BatchHeader,
  type BatchState,
  type Inlink,
  type Mark,
  type PageRow,
} from '../../webtable/index.js';
import { normalizeUrl, traceUrl, type UrlStep } from '../plugin-api/index.js';
import { domainOf, hostOf, readableUrl } from '../url/index.js';
import type { CrawlContext } from './context.js';
import { NEXT_FIELDS, nextOfRow, nextOfUnknown, type NextStep } from './answers/explain-next.js';
import { SELECTION_FIELDS } from './fetching/fetch-item.js';
import { explainRobots, type RobotsExplanation } from './answers/explain-robots.js';
import { explainAddresses, type AddressExplanation } from './answers/explain-addresses.js';
import { explainRules, type ExplainedRules } from './answers/explain-rules.js';
import { withRules } from './rules/with-rules.js';
import { createQueueDelays } from './hosts/queue-delays.js';
import { createQueueNames } from './hosts/queue-name.js';
import type { CrawlScope } from './scope/crawl-scope.js';
import { inScope } from './scope/in-scope.js';

/** What {@link explain} may do beyond reading the table. */
export interface ExplainOptions {
  /**
   * Fetch robots.txt now, in place of the stored record, and where `partition.urlMode` is `ip` look up the host. Nothing
   * of it is stored. Without it the network is not asked.
   */
  readonly robots?: boolean;
}

const FIELDS = [
  ...NEXT_FIELDS,
  'fetchedAt',
  'fetchInterval',
  'contentType',
  'redirectTarget',
  'title',
  'inlinkCount',
  'inlinks',
  'fit',
  'fitBonus',
  'cutLinks',
] as const;

/** Inlinks that are shown. */
const MAX_INLINKS = 10;

/** A mark of a row, and the state of the batch it names; absent where no such batch is known. */
export interface ExplainedMark {
  readonly mark: Mark;
  readonly value: string;
  readonly batchState?: BatchState;
}

/** A row of the table, as {@link explain} shows it. Times are ms since the epoch; texts may be untrusted. */
export interface ExplainedPage extends Omit<PageRow<(typeof FIELDS)[number]>, 'marks' | 'inlinks'> {
  readonly isSeed: boolean;
  /** It is not worth having itself, and its `fitBonus` is for where pages of its host with URLs like its own have led. */
  readonly isExplored?: true;
  readonly marks: readonly ExplainedMark[];
  /** Whether the search index has it, as far as the mark says: as of the last fetch, or of an earlier one. Absent where it is not in it. */
  readonly indexed?: 'current' | 'earlier';
  /** The best by score, at most 10. */
  readonly inlinks: readonly Inlink[];
}

/** All that is known of one URL. Texts may be untrusted. */
export interface Explanation {
  readonly given: string;
  /** When this was true, in ms since the epoch. */
  readonly now: number;
  /** Normalised, as a seed would be; absent where it is no URL that a table can hold, and then `key` to `backoff` are too. */
  readonly url?: string;
  /** The same as people read it, where that differs: for the eye alone. */
  readonly readableUrl?: string;
  /** Whether it would be taken as a seed. */
  readonly accepted: boolean;
  readonly rejectedBy?: string;
  readonly rule?: string;
  readonly steps: readonly UrlStep[];
  readonly key?: string;
  readonly host?: string;
  readonly domain?: string;
  /** The rules of the table that are of the URL; absent where none is. */
  readonly rules?: ExplainedRules;
  /** What politeness, caps and partitions count the URL by. */
  readonly queue?: {
    readonly mode: 'host' | 'domain' | 'ip';
    /** Absent by IP where the host is not looked up. */
    readonly name?: string;
    /** The slot of the indexes, hex digits: two, or three beyond 256 slots. */
    readonly slot: string;
    /** Seconds between two requests, the Crawl-delay counted in. */
    readonly delay: number;
  };
  /** At which addresses the host is fetched. */
  readonly addresses?: AddressExplanation;
  /** The scope of the last crawl, which the jobs keep to; absent where none has run on the table. */
  readonly scope?: Omit<CrawlScope, 'folders'>;
  readonly robots?: RobotsExplanation;
  /** Why and until when the host is left alone. Absent where it answered the last time that it was asked. */
  readonly backoff?: BackoffRecord;
  /** Absent where the table has no such row. */
  readonly page?: ExplainedPage;
  readonly next: NextStep;
}

/**
 * Says all that is known of a URL: what the rules make of it, what robots.txt says, the row, and what happens next and
 * why. It writes nothing, and asks the network only with `robots`.
 */
export async function explain(
  context: CrawlContext,
  given: string,
  { robots: fetchRobots = false }: ExplainOptions = {},
): Promise<Explanation> {
  const crawl = await withRules(await inScope(context));
  const { tables, scope } = crawl;
  const normalized = normalizeUrl(crawl.plugins, given, 'inject');
  const key = normalized.accepted ? rowKeyOf(normalized.url) : undefined;
  const row = key === undefined ? undefined : await tables.pages.get(key, FIELDS);
  const { verdict, normalized: url, steps } = traceUrl(crawl.plugins, given, 'inject', row);
  const head = {
    given,
    now: crawl.clock(),
    accepted: verdict.accepted,
    ...(!verdict.accepted && { rejectedBy: verdict.rejectedBy, rule: verdict.rule }),
    steps,
    ...(scope && { scope: shownScope(scope.scope) }),
    ...explainRules(crawl, steps, url),
  };
  if (url === undefined || key === undefined) return { ...head, next: nextOfUnknown(crawl, given, verdict) };

  const host = hostOf(url);
  const robots = await explainRobots(crawl, url, fetchRobots);
  const addresses = await explainAddresses(crawl, host);
  const [backoff] = await tables.hosts.backoff.get([hostKeyOf(host)]);
  const queue = await queueOf(crawl, host, robots, fetchRobots);
  const readable = readableUrl(url);
  const shown = { url, ...(readable !== undefined && { readableUrl: readable }) };
  const known = { ...shown, key, host, domain: domainOf(host), queue, addresses, robots };
  const found = { ...head, ...known, ...(backoff && { backoff }) };
  if (!row) return { ...found, next: nextOfUnknown(crawl, given, verdict) };

  const batches = await batchesOf(crawl, row.marks ?? {});
  const [isIndexed = false] = await tables.frontier.hasEntries([row]);
  const batch = batches.get(row.marks?.generate ?? '');
  const lastBatch = batches.get(row.marks?.updatedb ?? '');
  // Other fields may be damaged as well, which is nothing to generate.
  const isDamaged = row.damaged !== undefined && (await tables.pages.get(key, SELECTION_FIELDS))?.damaged !== undefined;
  return {
    ...found,
    page: { ...pageOf(row, batches), ...exploredOf(crawl, row) },
    next: nextOfRow(crawl, { url, row, batch, lastBatch, isDamaged, isIndexed, robots, backoff }),
  };
}

function shownScope({ folders: _, ...scope }: CrawlScope): Omit<CrawlScope, 'folders'> {
  return scope;
}

async function queueOf(
  crawl: CrawlContext,
  host: string,
  { crawlDelay }: RobotsExplanation,
  mayLookUp: boolean,
): Promise<NonNullable<Explanation['queue']>> {
  const mode = crawl.settings.partition.urlMode;
  const delays = createQueueDelays(crawl.settings.fetcher);
  if (crawlDelay !== undefined) delays.crawlDelay(host, crawlDelay);
  return {
    mode,
    ...((mode !== 'ip' || mayLookUp) && { name: await createQueueNames(crawl).nameOf(host) }),
    slot: crawl.tables.slots.of(hostKeyOf(host)),
    delay: delays.of(host),
  };
}

async function batchesOf(
  crawl: CrawlContext,
  marks: Readonly<Partial<Record<Mark, string>>>,
): Promise<Map<string, BatchHeader>> {
  const batches = new Map<string, BatchHeader>();
  for (const id of new Set(Object.values(marks))) {
    const batch = await crawl.tables.batches.find(id);
    if (batch) batches.set(id, batch);
  }
  return batches;
}

function pageOf(row: PageRow<(typeof FIELDS)[number]>, batches: ReadonlyMap<string, BatchHeader>): ExplainedPage {
  const marks = Object.entries(row.marks ?? {}) as [Mark, string][];
  return {
    ...row,
    isSeed: row.marks?.inject !== undefined,
    ...indexedOf(row.marks ?? {}),
    marks: marks.map(([mark, value]) => {
      const state = batches.get(value)?.state;
      return { mark, value, ...(state !== undefined && { batchState: state }) };
    }),
    inlinks: [...(row.inlinks ?? [])].sort((a, b) => b.score - a.score).slice(0, MAX_INLINKS),
  };
}

function exploredOf(
  { settings, ruleSet }: CrawlContext,
  { fit, fitBonus }: Pick<PageRow<'fit' | 'fitBonus'>, 'fit' | 'fitBonus'>,
): Pick<ExplainedPage, 'isExplored'> {
  const { score, other } = settings.scoring.fit;
  return ruleSet?.explores && fit === false && score !== other && fitBonus === score ? { isExplored: true } : {};
}

function indexedOf({ index, updatedb = 'y' }: Readonly<Partial<Record<Mark, string>>>): Pick<ExplainedPage, 'indexed'> {
  return index === undefined ? {} : { indexed: index === updatedb ? 'current' : 'earlier' };
}
