import {
  hostKeyOf,
  rowKeyOf,
  type BackoffRecord,
  type BatchHeader,
  type BatchState,
  type Inlink,
  type Mark,
  type PageRow,
  normalizeUrl,
  traceUrl,
  type UrlStep,
  domainOf,
  hostOf,
  readableUrl,
  type CrawlContext,
  type ScopedCrawl,
  SELECTION_FIELDS,
  rulesNow,
  createQueueDelays,
  createQueueNames,
  type CrawlScope,
  inScope,
  NO_SCOPE,
} from '../../core/index.js';
import { NEXT_FIELDS, nextOfRow, nextOfUnknown, type NextStep } from './explain-next.js';
import type { UrlCheck } from '../check-url.js';
import { explainRobots, type RobotsExplanation } from './explain-robots.js';
import { explainAddresses, type AddressExplanation } from './explain-addresses.js';
import { explainContent, storedTemplate, type ContentExplanation } from './explain-content.js';
import { explainRules, type ExplainedRules } from './explain-rules.js';

/** Options of {@link explain}. */
export interface ExplainOptions {
  /**
   * Fetch robots.txt now, and do not use the stored record. If `partition.urlMode` is `ip`, the host is looked up too. The results are not
   * stored. Default: false; the network is not used.
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
  'relevant',
  'relevantBonus',
  'rejectedLinks',
] as const;

const MAX_SHOWN_INLINKS = 10;

/** A mark of a row, and the state of its batch. The state is absent if the table does not know the batch. */
export interface ExplainedMark {
  readonly mark: Mark;
  readonly value: string;
  readonly batchState?: BatchState;
}

/** A row of the table, as {@link explain} shows it. Times are ms since the epoch; texts may be untrusted. */
export interface ExplainedPage extends Omit<PageRow<(typeof FIELDS)[number]>, 'marks' | 'inlinks'> {
  readonly isSeed: boolean;
  readonly marks: readonly ExplainedMark[];
  /**
   * Whether the page is in the search index, according to the mark of the row. `current`: with the content of the last fetch. `earlier`:
   * with the content of an earlier fetch. Absent: the page is not in the index.
   */
  readonly indexed?: 'current' | 'earlier';
  /** How the main content of the page is found. Absent: the page has none. */
  readonly mainContent?: ContentExplanation;
  /** At most 10 inlinks, those with the highest scores. */
  readonly inlinks: readonly Inlink[];
}

/** The answer of {@link explain} for one URL. Texts may be untrusted. */
export interface Explanation extends Pick<UrlCheck, 'rejectedBy' | 'rule' | 'key' | 'host' | 'domain'> {
  readonly given: string;
  /** The time of this answer, in ms since the epoch. */
  readonly now: number;
  /** The URL, normalised like a seed. Absent if no table can hold the URL; then the fields `key` to `backoff` are absent too. */
  readonly url?: string;
  /** The URL as people read it, if that differs from `url`. Do not use it in requests. */
  readonly readableUrl?: string;
  /** Whether the URL would be accepted as a seed. */
  readonly accepted: boolean;
  readonly steps: readonly UrlStep[];
  /** The rules of the table that affect the URL. Absent: no rule affects it. */
  readonly rules?: ExplainedRules;
  /** The queue of the URL. Delays, limits and partitions apply to queues. */
  readonly queue?: {
    readonly mode: 'host' | 'domain' | 'ip';
    /** The name of the queue. Absent if queues are by IP and the host was not looked up. */
    readonly name?: string;
    /** The slot of the host, in hex: two digits, or three if the table has more than 256 slots. */
    readonly slot: string;
    /** Seconds between two requests, including Crawl-delay. */
    readonly delay: number;
  };
  /** The addresses at which the host may be fetched. */
  readonly addresses?: AddressExplanation;
  /** The scope of the last crawl, which the jobs obey. Absent: no crawl has run on the table. */
  readonly scope?: Omit<CrawlScope, 'folders' | 'sites'>;
  readonly robots?: RobotsExplanation;
  /** The back-off of the host. Absent if the last answer of the host was normal. */
  readonly backoff?: BackoffRecord;
  /** Number of entries for the URL in the inbox of its slot, which the owner of the slot has not added yet. Absent: none. */
  readonly inbox?: number;
  /** The row of the URL. Absent: the table has no such row. */
  readonly page?: ExplainedPage;
  readonly next: NextStep;
}

/**
 * Explains what the table knows about a URL: the effect of the rules, the verdict of robots.txt, the row, and the next step with its
 * reason. Nothing is written. The network is used only with `robots`.
 */
export async function explain(
  context: CrawlContext,
  given: string,
  { robots: fetchRobots = false }: ExplainOptions = {},
): Promise<Explanation> {
  const crawl = await inScope(context);
  const rules = await rulesNow(crawl);
  const { tables, scope } = crawl;
  const normalized = normalizeUrl(rules.plugins, given, 'inject');
  const key = normalized.accepted ? rowKeyOf(normalized.url) : undefined;
  // Before the row: the owner of the slot may add the entries meanwhile.
  const inbox = key === undefined ? 0 : await inboxOf(crawl, key);
  const row = key === undefined ? undefined : await tables.pages.get(key, FIELDS);
  const { verdict, normalized: url, steps } = traceUrl(rules.plugins, given, 'inject', row);
  const head = {
    given,
    now: crawl.clock(),
    accepted: verdict.accepted,
    ...(!verdict.accepted && { rejectedBy: verdict.rejectedBy, rule: verdict.rule }),
    steps,
    ...(scope !== NO_SCOPE && { scope: shownScope(scope.scope) }),
    ...explainRules(rules, steps, url),
  };
  if (url === undefined || key === undefined) return { ...head, next: nextOfUnknown(crawl, rules, given, verdict) };

  const host = hostOf(url);
  const robots = await explainRobots(crawl, url, fetchRobots);
  const addresses = await explainAddresses(crawl, host);
  const [backoff] = await tables.hosts.backoff.get([hostKeyOf(host)]);
  const queue = await queueOf(crawl, host, robots, fetchRobots);
  const readable = readableUrl(url);
  const shown = { url, ...(readable !== undefined && { readableUrl: readable }) };
  const known = { ...shown, key, host, domain: domainOf(host), queue, addresses, robots };
  const found = { ...head, ...known, ...(backoff && { backoff }), ...(inbox > 0 && { inbox }) };
  if (!row) return { ...found, next: nextOfUnknown(crawl, rules, given, verdict, inbox) };

  const batches = await batchesOf(crawl, row.marks ?? {});
  const [isIndexed = false] = await tables.frontier.hasEntries([row]);
  const batch = batches.get(row.marks?.generate ?? '');
  const lastBatch = batches.get(row.marks?.updatedb ?? '');
  // If only fields are damaged that generate does not read, generate can select the row.
  const isDamaged = row.damaged !== undefined && (await tables.pages.get(key, SELECTION_FIELDS))?.damaged !== undefined;
  const body = await tables.pages.get(key, ['content', 'contentType', 'parseStatus']);
  const mainContent = body && explainContent(crawl, body, await storedTemplate(crawl, key));
  return {
    ...found,
    page: { ...pageOf(row, batches), ...(mainContent && { mainContent }) },
    next: nextOfRow(crawl, rules, { url, row, batch, lastBatch, isDamaged, isIndexed, robots, backoff }),
  };
}

function shownScope({ folders: _, sites: __, ...scope }: CrawlScope): Omit<CrawlScope, 'folders' | 'sites'> {
  return scope;
}

async function queueOf(
  crawl: ScopedCrawl,
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

async function inboxOf({ tables }: Pick<CrawlContext, 'tables'>, key: string): Promise<number> {
  let count = 0;
  for await (const entries of tables.inboxes.entriesAround([key])) {
    count += entries.filter(({ rowKey }) => rowKey === key).length;
  }
  return count;
}

async function batchesOf(
  { tables }: Pick<CrawlContext, 'tables'>,
  marks: Readonly<Partial<Record<Mark, string>>>,
): Promise<Map<string, BatchHeader>> {
  const batches = new Map<string, BatchHeader>();
  for (const id of new Set(Object.values(marks))) {
    const batch = await tables.batches.find(id);
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
    inlinks: [...(row.inlinks ?? [])].sort((a, b) => b.score - a.score).slice(0, MAX_SHOWN_INLINKS),
  };
}

function indexedOf({ index, updatedb = 'y' }: Readonly<Partial<Record<Mark, string>>>): Pick<ExplainedPage, 'indexed'> {
  return index === undefined ? {} : { indexed: index === updatedb ? 'current' : 'earlier' };
}
