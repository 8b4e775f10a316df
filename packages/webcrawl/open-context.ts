import { loadSettings, mustBe, optionSchemas, type PartialSettings } from '../../config/index.js';
import {
  SharedStore,
  openTables,
  rowKeyOf,
  type Field,
  type TableOwner,
  type PageRow,
  type SharedStoreOptions,
  type Store,
  type Tables,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { ComputedFieldName, ComputedValues } from '../export/index.js';
import type { RuledChanges } from '../focus/index.js';
import { cachedLookup, systemLookup } from '../fetch/index.js';
import {
  changeSeedRows,
  createRequestsInUse,
  createRunningJobs,
  startWorkerReports,
  rulesNow,
  type CrawlContext,
  type ParseThreads,
  type SeedChanges,
} from '../jobs/index.js';
import type { DiskUse, FoundPage, PageQuery } from '../answers/index.js';
import { normalizeUrl, type OnPage, type Plugin } from '../plugin-api/index.js';
import { urlPatterns } from '../plugins/index.js';
import { createLiveRules, type LiveRules } from '../rules/index.js';
import { createDiskUse } from './disk-use.js';
import { COMPUTED_FIELD_NAMES, DEFAULT_TABLE } from './names.js';
import { directoryOf, indexFolderOf, openStore } from './open-store.js';
import { checks } from './options/job-options.js';
import { storedFields } from './options/shared-options.js';
import { assemblePlugins, closeProtocols, folderOf } from './plugins/assemble-plugins.js';
import { parseThreadsOf } from './plugins/wire-parse-threads.js';

/** The table to open, its settings and its plugins. Every option may be omitted. */
export interface OpenCrawlOptions {
  /**
   * Location of the table. `level:<directory>`, or only the directory, which is created if it is missing. `memory:` for a table that ends
   * with the process. `hbase://host:port,host:port/namespace:prefix` for a table on HBase, which `createTable` has made. Or a store, which
   * is closed with the crawl. Default: `level:./webcrawl-data`.
   */
  readonly table?: string | Store;
  /**
   * false: a missing table is not created, but is an error. A table on a full disk is then opened for reading, if neither `alone` nor `yields`
   * is set: each write throws STORE_FULL. Default: true.
   */
  readonly create?: boolean;
  /**
   * true: opens the table for this process alone. false: if another process has the table open, this process reads through that process.
   * `inject`, marks and rules work this way too; the other jobs throw TABLE_LOCKED. Default: false. This option and the next four are only
   * for a table in a directory.
   */
  readonly alone?: boolean;
  /** Whether other processes may read the table, and inject into it, while it is open here. Default: true. */
  readonly serve?: boolean;
  /**
   * Whether to close the table when another process needs exclusive access to it. Until that process ends, this process reads the table
   * through it. This is for a service that only reads and should not block jobs of other processes. While a job or `crawlContinuously` runs
   * in this process, the table is not yielded. While another process has the table, no job can begin here. Default: false.
   */
  readonly yields?: boolean;
  /** Name of this user of the table, as other processes see it. Default: `a service`. */
  readonly name?: string;
  /** Time to wait for a table that another process uses. Default: 0. */
  readonly waitSeconds?: number;
  /** Called once when the wait for the table begins, with the process that has the table open, if it is known. */
  readonly onWait?: (owner: TableOwner | undefined) => void;
  /** Ends the wait for the table. */
  readonly signal?: AbortSignal;
  /** A settings file, JSON. */
  readonly config?: string;
  /** Settings by section or by dotted key. They take precedence over the file and the environment. */
  readonly settings?: PartialSettings;
  /** The environment, from which `WEBCRAWL_…` variables are read. Absent: no variables are used. The command passes `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Plugins in order of call, after the defaults. A function receives the defaults and returns the whole list. It may omit some defaults,
   * but must not change them. These plugins run in the main thread. If one of these plugins is a normaliser, a filter, a signature or the
   * parser of a page, the pages are parsed in the main thread too, and counted as `parsed_in_main_thread`.
   */
  readonly plugins?: readonly Plugin[] | ((defaults: readonly Plugin[]) => readonly Plugin[]);
  /** Called for every parsed page, like `onPage` of a plugin named `on-page` at the end of the list. */
  readonly onPage?: OnPage;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: () => number;
  /** Returns a number from 0 up to but not including 1. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * Returns the addresses of a host, the preferred one first. The result is cached for five minutes. The fetcher and `partition.urlMode:
   * ip` use it. Default: the system's resolver.
   */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}

/** An open table with settings and plugins, which is the first argument of every job. Close it, or declare it with `await using`. */
export interface OpenContext extends CrawlContext, AsyncDisposable {
  /** The current rules of the table. `rules` edits them. */
  readonly rules: LiveRules;
  /** When the table was opened, in ms since the epoch. */
  readonly since: number;
  /** Returns the bytes of the table on disk, measured seldom. Absent: the table has no folder. */
  readonly diskUse?: () => Promise<DiskUse>;
  /** The other process that has the table open. Undefined: this process has the table open itself. */
  readonly owner: TableOwner | undefined;
  /** The reason why other processes cannot use the table while this process has it open. Undefined: they can use it, or `serve` is false. */
  readonly notServed: string | undefined;
  /**
   * Returns one page by its URL, which is normalised like a seed. undefined: the table has no such page.
   * @throws CrawlError BAD_URL for a URL that no table can hold, USAGE for an unknown field
   */
  page<F extends Field>(url: string, fields: readonly F[]): Promise<PageRow<F | 'status'> | undefined>;
  /**
   * Yields the pages of a selection, in key order or sorted. Each page has its status and the requested fields, stored or computed
   * (`COMPUTED_FIELD_NAMES`). Other jobs may write to the table during the read; each page is consistent. With `markdown` or `mainText`, it
   * learns what the sites of the pages are, and stores this in the table, unless `parser.siteContent` is false.
   * @throws CrawlError USAGE or BAD_URL for a wrong query, when the first page is read; MISSING_PACKAGE for a computed field
   */
  pages<F extends Field | ComputedFieldName>(
    query: PageQuery & { readonly fields: readonly F[] },
  ): AsyncGenerator<FoundPage<Extract<F, Field>> & ComputedValues<Extract<F, ComputedFieldName>>>;
  /** Ends connections and threads, and closes the table. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens a table and reads settings and plugins.
 * @param how.migrates opens a table of an earlier schema version too; only for the job `migrate`
 * @param how.indexes loads the packages of the search index first, so that no table is created if one is missing (MISSING_PACKAGE)
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN, MISSING_PACKAGE, NO_TABLE, TABLE_LOCKED, TABLE_VERSION, TABLE_DAMAGED, STORE_FULL,
 * STORE_FAILED; on HBase STORE_AWAY, STORE_DENIED too
 */
export async function openContext(
  options: OpenCrawlOptions = {},
  how: { readonly migrates?: boolean; readonly indexes?: boolean } = {},
): Promise<OpenContext> {
  checks.openCrawl(options);
  const { settings, sources } = loadSettings({
    file: options.config,
    env: options.env,
    overrides: options.settings,
  });
  const clock = options.clock ?? Date.now;
  const lookup = cachedLookup(options.lookup ?? systemLookup, { clock });
  const { plugins, shared: pagePlugins } = await assemblePlugins(settings, lookup, options);
  const since = clock();
  const folder = typeof options.table === 'object' ? undefined : directoryOf(options.table ?? DEFAULT_TABLE);
  const diskUse = folder === undefined ? undefined : createDiskUse(folder);
  const status = async (): Promise<unknown> => {
    const { ownStatus } = await import('../answers/index.js');
    return ownStatus({ tables, clock, running, since, ...(diskUse && { diskUse }) });
  };
  const verbs: SharedStoreOptions['verbs'] = {
    'add seeds': (changes) => changeSeedRows({ tables }, changes as SeedChanges),
    'apply rules': async (changes) =>
      (await import('../focus/index.js')).changeRuledRows({ tables }, changes as RuledChanges),
  };
  if (how.indexes) await (await import('../index/index.js')).loadIndexPackages({ plugins, settings });
  const store = await openStore(options, { status, verbs });
  const shared = store instanceof SharedStore ? store : undefined;
  let tables: Tables;
  try {
    tables = await openTables(store, how);
  } catch (error) {
    // A store that the caller passed in is closed by the caller.
    if (store !== options.table) await store.close();
    throw error;
  }
  const rules = createLiveRules(tables, settings.scoring.relevant);
  const running = createRunningJobs({ tables, clock });
  const reports = startWorkerReports({ tables, clock }, running, since);
  const indexFolder = indexFolderOf(settings, options.table);
  await shared?.serve();
  const parseThreads = parseThreadsOf(settings, pagePlugins, folderOf(options.config));

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= reports.end().then(() => closeAll(plugins, tables, parseThreads)));
  return {
    tables,
    running,
    requestsInUse: createRequestsInUse(),
    since,
    ...(diskUse && { diskUse }),
    outsideChanges: () => shared?.outsideChanges ?? 0,
    get owner() {
      return shared?.owner;
    },
    get notServed() {
      return shared?.notServed;
    },
    settings,
    settingSources: sources,
    plugins,
    rules,
    urlPatterns,
    clock,
    random: options.random ?? Math.random,
    lookup,
    parseThreads,
    indexFolder,
    async page(url, fields) {
      mustBe(optionSchemas.string, 'the URL', url);
      mustBe(storedFields, 'fields', fields);
      const { plugins: all } = await rulesNow({ plugins, rules });
      const verdict = normalizeUrl(all, url, 'inject');
      if (!verdict.accepted) throw new CrawlError('BAD_URL', verdict.rule);
      return tables.pages.get(rowKeyOf(verdict.url), ['status', ...fields]);
    },
    async *pages(query) {
      checks.pages(query);
      yield* pagesWith({ tables, plugins, rules, settings, clock }, query);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type AskedPage<F extends Field | ComputedFieldName> = FoundPage<Extract<F, Field>> &
  ComputedValues<Extract<F, ComputedFieldName>>;

async function* pagesWith<F extends Field | ComputedFieldName>(
  crawl: Pick<CrawlContext, 'tables' | 'plugins' | 'rules' | 'settings' | 'clock'>,
  { fields, ...query }: PageQuery & { readonly fields: readonly F[] },
): AsyncGenerator<AskedPage<F>> {
  const { readPages } = await import('../answers/index.js');
  if (!fields.some((field) => (COMPUTED_FIELD_NAMES as readonly string[]).includes(field))) {
    yield* readPages(crawl, query, fields as readonly Field[]) as AsyncGenerator<AskedPage<F>>;
    return;
  }
  const { computedOf, createSites, needsMainContent } = await import('../export/index.js');
  const { stored, needs, valuesOf } = await computedOf(crawl.settings, fields);
  const sites = crawl.settings.parser.siteContent && needsMainContent(fields) ? createSites(crawl) : undefined;
  const extra = needs.filter((field) => field !== 'status' && !(stored as readonly Field[]).includes(field));
  for await (const row of readPages(crawl, query, [...stored, ...extra])) {
    await sites?.prepare(row);
    const page: Record<string, unknown> = { ...row, ...valuesOf(row) };
    for (const field of extra) delete page[field];
    yield page as unknown as AskedPage<F>;
  }
}

/** Closes the table even if a plugin fails to close. */
async function closeAll(plugins: readonly Plugin[], tables: Tables, threads?: ParseThreads): Promise<void> {
  try {
    await threads?.close();
    await closeProtocols(plugins);
  } finally {
    await tables.close();
  }
}
