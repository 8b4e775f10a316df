import { mustBe, type SettingSource, type Settings } from '../../config/index.js';
import type { TableOwner, PageRow } from '../../webtable/index.js';
import type { Explanation, ExplainOptions, FoundPage, PageQuery, PublicField, TableStats } from '../answers/index.js';
import type { AuditOptions, OpenAuditReport } from '../audit/index.js';
import type { Changes, ChangesOptions, MarkedMoment } from '../changes/index.js';
import type { DedupOptions } from '../duplicates/index.js';
import type {
  ComputedFieldName,
  ComputedValues,
  ExportArchiveOptions,
  ExportChunksOptions,
  ExportGraphOptions,
  ExportKrakeOptions,
  ExportPagesOptions,
  PageField,
} from '../export/index.js';
import type { RankOptions } from '../graph/index.js';
import type { CrawlPlan, HostExplanation, HostFigures, HostsOptions, PlanOptions } from '../hosts/index.js';
import type { IndexOptions } from '../index/index.js';
import type {
  BatchOptions,
  CrawlOptions,
  FetchOptions,
  GenerateOptions,
  InjectOptions,
  JobCounters,
  JobName,
  JobOptions,
  ParseOptions,
  Report as JobReport,
} from '../jobs/index.js';
import type { RemoveOptions } from '../maintenance/index.js';
import type { Searcher, SearchOptions, SearchResult } from '../search/index.js';
import type { CrawlStatus, RunningServer, ServeOptions } from '../serve/index.js';
import type { ChangeTarget, SendChangesOptions, SentChanges } from '../watch/index.js';
import { stats } from '../answers/readdb.js';
import { checksOf, type ChecksOfTable } from './checks.js';
import type { ContinuousCrawlOptions } from './continuous/continuous-crawl.js';
import { jobs, type RepairReport } from './jobs.js';
import { openContext, type OpenContext, type OpenCrawlOptions } from './open-context.js';
import { checks } from './options/job-options.js';
import { dumpFields, publicFields } from './options/shared-options.js';
import type { CrawlRules } from './rules/crawl-rules.js';
import { prefixStatistics } from './rules/prefix-statistics.js';
import { rules } from './rules/rules.js';
import * as satellites from './satellites.js';

/** The result of a job. `Report<'fetch'>` has the counters of the job `fetch`. */
export type Report<Job extends JobName | undefined = undefined> = JobReport<
  Job extends JobName ? JobCounters<Job> : Readonly<Record<string, number | undefined>>
>;

/**
 * Exports of a table to files, or to an S3 store. The files appear under their names when they are complete, the manifest last. An export
 * that is stopped or killed starts again at the next call. Each export throws CrawlError USAGE or BAD_URL for a wrong selection;
 * MISSING_PACKAGE for an optional package; BAD_OUTPUT, STORE_FULL.
 */
export interface CrawlExports {
  /**
   * Exports pages in key order. By default it exports pages that exist, have no `noindex` and are no duplicates. With `since`, it also
   * exports pages that are left out now, but may be in an earlier copy; `removed` gives the reason to remove the page from the copy.
   */
  pages(options: ExportPagesOptions): Promise<Report<'export'>>;
  /** Exports the main content of HTML pages as Markdown, in chunks by heading: JSON Lines with one `Chunk` on each line, in key order. */
  chunks(options: ExportChunksOptions): Promise<Report<'export'>>;
  /** Writes the selected pages into a folder of WARC 1.1 files with a CDXJ index. The same rows give the same bytes. */
  warc(options: ExportArchiveOptions): Promise<Report<'export'>>;
  /** Writes the selected pages into one WACZ file (1.1.1). It needs disk space of twice the size of the file, and the package client-zip. */
  wacz(options: ExportArchiveOptions): Promise<Report<'export'>>;
  /** Writes the selected pages, and the links between them, into a folder of Krake's files. */
  krake(options: ExportKrakeOptions): Promise<Report<'export'>>;
  /**
   * Exports the graph of links between pages, hosts or domains: nodes in key order, numbered from 0, and each edge once. Links to redirects
   * and to pages with a canonical page become links to the final page, except with `raw`.
   */
  graph(options: ExportGraphOptions): Promise<Report<'export'> & Report<'graph'>>;
}

/**
 * An open table with its settings and plugins. The same job cannot run twice at a time. Pages can be read while jobs run. Each job throws
 * CrawlError USAGE for an option that is unknown or wrong, and TABLE_LOCKED if another process has the table open.
 *
 * Close the crawl at the end, or declare it with `await using`.
 */
export interface Crawl extends AsyncDisposable {
  readonly settings: Settings;
  /** The source of each setting, by its dotted key. */
  readonly settingSources: Readonly<Record<string, SettingSource>>;
  /** The other process that has the table open. Undefined: this process has the table open itself. */
  readonly owner: TableOwner | undefined;
  /** The reason why other processes cannot read the table while this process has it open. Undefined: they can read it, or `serve` is false. */
  readonly notServed: string | undefined;

  /** Adds the seeds, then repeats generate, fetch, parse and updatedb until no page is due or a limit is reached. */
  run(options: CrawlOptions): Promise<Report<'crawl'>>;
  /**
   * Crawls until the signal aborts. Pages are fetched again when they are due, and the search index and the ranks stay up to date.
   */
  runContinuously(options: ContinuousCrawlOptions): Promise<Report<'crawl'>>;

  /** Adds URLs to the table, due at once. */
  inject(options: InjectOptions): Promise<Report<'inject'>>;
  /** Selects due pages into a batch, the best first. `batchId` of the report names the batch. */
  generate(options?: GenerateOptions): Promise<Report<'generate'>>;
  /** Fetches the pages of a batch. */
  fetch(options: FetchOptions): Promise<Report<'fetch'>>;
  /** Parses the fetched pages of a batch: text, links and metadata. */
  parse(options: ParseOptions): Promise<Report<'parse'>>;
  /** Writes the results of a batch to the table: statuses, due times, links and new pages. */
  updatedb(options: BatchOptions): Promise<Report<'updatedb'>>;

  /** Writes new and changed pages into the search index. `all` compares the whole table with the index. */
  index(options?: IndexOptions): Promise<Report<'index'>>;
  /** Removes the data that the table stores for the search index. */
  forgetIndex(options?: JobOptions): Promise<Report<'index'>>;
  /** Computes PageRank, of pages and of hosts. */
  rank(options?: RankOptions): Promise<Report<'rank'>>;
  /** Marks pages whose content equals that of another page. */
  dedup(options?: DedupOptions): Promise<Report<'dedup'>>;
  /** Checks the indexes of the table against its rows, and repairs them. */
  repair(options?: JobOptions): Promise<RepairReport>;
  /** Frees the disk space of bodies that no row points at. */
  compact(options?: JobOptions): Promise<Report<'compact'>>;
  /** Removes the pages of a selection. */
  remove(options: RemoveOptions): Promise<Report<'remove'>>;

  /**
   * Returns one page by its URL, which is normalised like a seed. undefined: the table has no such page.
   * @throws CrawlError BAD_URL for a URL that no table can hold, USAGE for an unknown field
   */
  page<F extends PublicField>(url: string, fields: readonly F[]): Promise<PageRow<F | 'status'> | undefined>;
  /**
   * Yields the pages of a selection, in key order or sorted. Each page has `url`, `status` and the requested fields, stored or computed.
   * Other jobs may write to the table during the read; each page is consistent. With `markdown` or `mainText`, it learns what the sites of the
   * pages are, and stores this in the table, unless `parser.siteContent` is false.
   * @throws CrawlError USAGE or BAD_URL for a wrong query, when the first page is read; MISSING_PACKAGE for a computed field
   */
  pages<F extends PageField>(
    query: PageQuery & { readonly fields: readonly F[] },
  ): AsyncGenerator<FoundPage<Extract<F, PublicField>> & ComputedValues<Extract<F, ComputedFieldName>>>;
  /** Number of pages by status. Reads the whole table. */
  stats(options?: Pick<JobOptions, 'signal'>): Promise<TableStats>;
  /** Returns the state of the table: the number of due pages, the size, and the jobs that run in the process that has the table open. */
  status(): Promise<CrawlStatus>;
  /** Explains a URL: the data of the table on it, its next step in the crawl, and the reason for this step. */
  explain(url: string, options?: ExplainOptions): Promise<Explanation>;
  /**
   * Finds faults in the pages of the table. It is faster if they were crawled with the setting `parser.audit`. Close the report after its
   * findings are read.
   * @throws CrawlError NO_FACTS, STORE_FULL, BAD_OUTPUT
   */
  audit(options?: AuditOptions): Promise<OpenAuditReport>;
  /**
   * Yields the figures of each host, or domain: pages by status, errors, robots.txt, delay, response times, bytes, and due pages. It
   * reads the whole table once.
   * @throws CrawlError USAGE or BAD_URL for wrong options, when the first host is read
   */
  hosts(options?: HostsOptions): AsyncGenerator<HostFigures>;
  /**
   * Explains the speed at which a host is crawled, and the time to fetch its due pages.
   * @throws CrawlError BAD_URL if it is not a host
   */
  explainHost(host: string): Promise<HostExplanation>;
  /**
   * Returns the requests that the next rounds would make, and how long they take. Nothing is written or fetched.
   * @throws CrawlError USAGE
   */
  plan(options?: PlanOptions): Promise<CrawlPlan>;
  /** Tests a URL, a page or a document against rules and parsers. Writes nothing. */
  readonly check: ChecksOfTable;

  /**
   * Returns the changes of pages. Iterate over them; they come in the order in which updatedb found them. `summary()` tells whether all
   * changes are known, and the reasons if some are not.
   * @throws CrawlError USAGE for wrong options; during the read, for an unknown mark or cursor
   */
  changes(options?: ChangesOptions): Changes;
  /** Stores the present moment under a name. `changes` can then read the changes after this moment. A mark of the same name is moved. */
  mark(name: string): Promise<MarkedMoment>;
  /** Returns the marks, the oldest first. */
  marks(): Promise<readonly MarkedMoment[]>;
  /** Removes a mark. Resolves to false if there was no mark of this name. */
  unmark(name: string): Promise<boolean>;
  /**
   * Sends changes to a URL as signed messages by Standard Webhooks. Each message is sent at least once. The call ends when the signal
   * aborts, or when the target answers that it wants no more messages. The position of the target is stored in the table.
   * @throws CrawlError USAGE for wrong options; LEASE_LOST if another sender has taken over this target
   */
  sendChanges(options: SendChangesOptions): Promise<SentChanges>;
  /** Returns the targets of changes, with the position of each and the messages that were given up. */
  changeTargets(): Promise<readonly ChangeTarget[]>;
  /** Removes a target of changes, by its URL. Resolves to false if there was no such target. */
  removeChangeTarget(to: string): Promise<boolean>;

  /** Lists, changes, tests and proposes the rules of the table. */
  readonly rules: CrawlRules;
  /** Exports pages, archives and graphs. */
  readonly export: CrawlExports;

  /**
   * Searches the index once.
   * @throws CrawlError USAGE for a wrong page or limit; NO_INDEX, WRONG_INDEX, SEARCH_BUSY, BAD_SETTING
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** Opens the search index for many queries. Close it before the crawl. */
  openSearch(): Promise<Searcher>;
  /** Serves the search page, the API, the dashboard and the metrics until it is closed. */
  serve(options?: ServeOptions): Promise<RunningServer>;

  /** Ends connections and threads, and closes the table. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens a table, with its settings and plugins.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN, NO_TABLE, TABLE_LOCKED, TABLE_VERSION, TABLE_DAMAGED, STORE_FULL,
 *   STORE_FAILED; on HBase STORE_AWAY, STORE_DENIED too
 */
export async function openCrawl(options: OpenCrawlOptions = {}): Promise<Crawl> {
  const context = await openContext(options);
  return crawlOf(context);
}

async function withChecked<R>(check: (options: unknown) => void, options: unknown, call: () => Promise<R>): Promise<R> {
  check(options ?? {});
  return call();
}

function crawlOf(context: OpenContext): Crawl {
  const { settings, settingSources, page, pages, close } = context;
  const { crawl: run, ...otherJobs } = bound(jobs, context);
  const {
    crawlContinuously: runContinuously,
    status,
    openSearch,
    hosts,
    explainHost,
    changes,
    mark,
    marks,
    unmark,
  } = satellites;
  const { sendChanges, changeTargets, removeChangeTarget } = satellites;
  const { audit, explain, plan, search, serve } = satellites;
  const { exportPages, exportChunks, exportWarc, exportWacz, exportKrake, exportGraph } = satellites;
  const exports = { pages: exportPages, chunks: exportChunks, warc: exportWarc, wacz: exportWacz, krake: exportKrake };
  return {
    settings,
    settingSources,
    get owner() {
      return context.owner;
    },
    get notServed() {
      return context.notServed;
    },
    run,
    ...otherJobs,
    ...bound({ runContinuously, status, openSearch, hosts, explainHost, changes, mark, marks, unmark }, context),
    ...bound({ sendChanges, changeTargets, removeChangeTarget }, context),
    stats: (options) => withChecked(checks.stats, options, () => stats(context, options)),
    audit: (options) => withChecked(checks.audit, options, () => audit(context, options)),
    explain: (url, options) => withChecked(checks.explain, options, () => explain(context, url, options)),
    plan: (options) => withChecked(checks.plan, options, () => plan(context, options)),
    search: (query, options) => withChecked(checks.search, options, () => search(context, query, options)),
    serve: (options) => withChecked(checks.serve, options, () => serve(context, options)),
    async page(url, fields) {
      mustBe(publicFields, 'fields', fields);
      return page(url, fields);
    },
    async *pages(query) {
      checks.pages(query);
      mustBe(dumpFields, 'fields', query.fields);
      yield* pages(query) as AsyncGenerator<never>;
    },
    check: checksOf(context, () => Promise.resolve(context)),
    rules: { ...bound(rules, context), prefixes: bound(prefixStatistics, context) },
    export: bound({ ...exports, graph: exportGraph }, context),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Takes = (context: never, ...given: never[]) => unknown;

/** The functions of a group without their first parameter. */
type Bound<G> = {
  readonly [N in keyof G]: G[N] extends (context: never, ...given: infer A) => infer R ? (...given: A) => R : never;
};

/** Binds a context as the first argument of each function of a group. */
function bound<G extends Readonly<Record<string, Takes>>>(group: G, context: Parameters<G[keyof G]>[0]): Bound<G> {
  const all = Object.entries(group).map(([name, call]) => [name, (...given: never[]) => call(context, ...given)]);
  return Object.fromEntries(all) as Bound<G>;
}
