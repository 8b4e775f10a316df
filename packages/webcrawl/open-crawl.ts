import { dirname, join } from 'node:path';
import { absolutePath, loadSettings, type SettingSource, type Settings } from '../../config/index.js';
import {
  MemoryStore,
  SharedStore,
  openTables,
  contentOfTable,
  isOnHBase,
  openHBaseStore,
  openLevelStore,
  openSharedStore,
  rowKeyOf,
  type ContentStore,
  type Field,
  type Holder,
  type PageRow,
  type Store,
  type Tables,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { cachedLookup, systemLookup, type Lookup } from '../fetch/index.js';
import {
  createRunningJobs,
  ownStatus,
  readPages,
  startWorkerReports,
  withRules,
  type CrawlContext,
  type DiskUse,
  type FoundPage,
  type PageQuery,
  type ParseThreads,
  type RunningJobs,
} from '../jobs/index.js';
import type { OnPage, Plugin } from '../plugin-api/index.js';
import { normalizeUrl } from '../plugin-api/index.js';
import { urlPatterns } from '../plugins/index.js';
import { checkPlugin } from './check-plugin.js';
import { createDiskUse } from './disk-use.js';
import { mainPlugins, readRules } from './default-plugins.js';
import { loadPlugins } from './load-plugins.js';
import { parsePlugins, urlPlugins } from './page-plugins.js';
import { parseThreadsOf } from './wire-parse-threads.js';
import { createLiveRules, type LiveRules } from '../rules/index.js';
import { VERSION } from '../util/index.js';
import { DEFAULT_TABLE } from './names.js';

/** What to open, and with which settings and plugins. Everything may be left out. */
export interface OpenCrawlOptions {
  /**
   * Where the table is: `level:<directory>`, or the directory alone (made where it is missing), `memory:` for one that ends
   * with the process, `hbase://host:port,host:port/namespace:prefix` for one on HBase that `createTable` made, or a store, which is
   * closed with the crawl. Default: `level:./webcrawl-data`.
   */
  readonly table?: string | Store;
  /** false: a table that is not there is an error and is not made. Default: true. */
  readonly create?: boolean;
  /**
   * Open the table for this process alone. Otherwise, where another process has it open, it is read through that process;
   * inject works too, and the other jobs throw TABLE_LOCKED. Default: false. Only for a table in a directory, as are the
   * four options after this one.
   */
  readonly alone?: boolean;
  /** Let other processes read the table and inject while it is open here. Default: true. */
  readonly serve?: boolean;
  /**
   * Close the table for a process that needs it alone, and read it through that process meanwhile: for a service that only
   * reads, and is not to keep jobs of other processes away. While a job or `keepCrawled` of this process runs, nothing is yielded; and
   * none of them can begin while another process has the table. Default: false.
   */
  readonly yields?: boolean;
  /** What other processes see as the user of the table. Default: `a service`. */
  readonly name?: string;
  /** Seconds to wait for a table that cannot be used now. Default: 0. */
  readonly wait?: number;
  /** Called once when that wait begins, with the process that has the table open where it is known. */
  readonly onWait?: (holder: Holder | undefined) => void;
  /** Ends that wait. */
  readonly signal?: AbortSignal;
  /** A settings file, JSON. */
  readonly config?: string;
  /** Settings by section or by dotted key; they win over the file and the environment. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where `WEBCRAWL_…` variables are looked up. Absent: nowhere; the command passes `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Plugins in order of call, after the defaults. A function gets the defaults and returns the whole list; it may leave
   * some out, and not change one. What is handed in runs in the main thread: the threads of `parser.threads` still parse
   * all pages but those whose parser was handed in, which are counted as `parsed_in_main_thread`.
   */
  readonly plugins?: readonly Plugin[] | ((defaults: readonly Plugin[]) => readonly Plugin[]);
  /** Called for every page that was parsed, as that of a plugin named `on-page` at the end of the list. */
  readonly onPage?: OnPage;
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly clock?: () => number;
  /** A number from 0 to 1, 1 left out. Default: `Math.random`. */
  readonly random?: () => number;
  /**
   * The addresses of a host, the preferred first; what it answers is cached for five minutes. It serves the fetcher and
   * `partition.urlMode: ip` alike. Default: the system's resolver.
   */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}

/** An open table with settings and plugins: what every job takes. Close it, or declare it with `await using`. */
export interface Crawl extends CrawlContext, AsyncDisposable {
  /** For every dotted key, where its value came from. */
  readonly settingSources: Readonly<Record<string, SettingSource>>;
  /** The rules of the table, as they are now; `rules` edits them. */
  readonly rules: LiveRules;
  /** The jobs under way in this process. */
  readonly running: RunningJobs;
  /** When the table was opened, in ms since the epoch. */
  readonly since: number;
  /** Bytes of the table on the disk, measured seldom. Absent: the table has no folder. */
  readonly diskUse?: () => Promise<DiskUse>;
  /** The other process that has the table open; undefined where this one has. */
  readonly holder: Holder | undefined;
  /** Why other processes cannot use the table meanwhile; undefined where they can, or are not to. */
  readonly notServed: string | undefined;
  /**
   * One page by its URL, which is normalised as a seed would be.
   * @throws CrawlError BAD_URL when it is no URL that a table can hold
   */
  page<F extends Field>(url: string, fields: readonly F[]): Promise<PageRow<F | 'status'> | undefined>;
  /**
   * The pages of a selection, with the status and the fields asked for: in key order, or the best by score. The table may
   * be written meanwhile; each page is whole.
   * @throws CrawlError USAGE, BAD_URL when the first page is asked for and the query is wrong
   */
  pages<F extends Field>(query: PageQuery & { readonly fields: readonly F[] }): AsyncGenerator<FoundPage<F>>;
  /** Ends connections and threads, and closes the table. Calling it again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens a table and reads settings and plugins.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN, NO_TABLE, TABLE_LOCKED, TABLE_VERSION, TABLE_DAMAGED, STORE_FULL,
 *   STORE_FAILED; on HBase STORE_AWAY, STORE_DENIED, CLOCK_OFF too
 */
export async function openCrawl(options: OpenCrawlOptions = {}): Promise<Crawl> {
  const { settings, sources } = loadSettings({ file: options.config, env: options.env, overrides: options.settings });
  const clock = options.clock ?? Date.now;
  const lookup = cachedLookup(options.lookup ?? systemLookup, { clock });
  const { plugins, shared: pagePlugins } = await assemblePlugins(settings, lookup, options);
  const parseThreads = parseThreadsOf(settings, pagePlugins, folderOf(options.config));
  const since = clock();
  const folder = typeof options.table === 'object' ? undefined : directoryOf(options.table ?? DEFAULT_TABLE);
  const diskUse = folder === undefined ? undefined : createDiskUse(folder);
  const status = (): Promise<unknown> => ownStatus({ tables, clock, running, since, ...(diskUse && { diskUse }) });
  const store = await openStore(options, status);
  const shared = store instanceof SharedStore ? store : undefined;
  let tables: Tables;
  try {
    tables = await openTables(store);
  } catch (error) {
    // A store that was handed in is still the caller's.
    if (store !== options.table) await store.close();
    throw error;
  }
  const rules = createLiveRules(tables, settings.scoring.fit, undefined, clock);
  const running = createRunningJobs({ tables, clock });
  const reports = startWorkerReports({ tables, clock }, running, since);
  const indexFolder = indexFolderOf(settings, options.table);
  await shared?.serve();

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= reports.end().then(() => closeAll(plugins, tables, rules, parseThreads)));
  return {
    tables,
    running,
    since,
    ...(diskUse && { diskUse }),
    outsideChanges: () => shared?.outsideChanges ?? 0,
    get holder() {
      return shared?.holder;
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
    ...(parseThreads && { parseThreads }),
    ...(indexFolder !== undefined && { indexFolder }),
    async page(url, fields) {
      const { plugins: all } = await withRules({ plugins, rules });
      const verdict = normalizeUrl(all, url, 'inject');
      if (!verdict.accepted) throw new CrawlError('BAD_URL', verdict.rule);
      return tables.pages.get(rowKeyOf(verdict.url), ['status', ...fields]);
    },
    pages: ({ fields, ...query }) => readPages({ tables, plugins, rules }, query, fields),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Closes the table whatever the plugins do. */
async function closeAll(
  plugins: readonly Plugin[],
  tables: Tables,
  rules: LiveRules,
  threads?: ParseThreads,
): Promise<void> {
  try {
    // What is lost of it can be counted anew.
    await rules.flush().catch(() => undefined);
    await threads?.close();
    await closeProtocols(plugins);
  } finally {
    await tables.close();
  }
}

/** Ends the connections and parsers of every plugin; then throws what the first one threw that failed to. */
export async function closeProtocols(plugins: readonly Plugin[]): Promise<void> {
  const closed = await Promise.allSettled(
    plugins.flatMap(({ protocol, parser }) => [protocol, parser].map(async (part) => part?.close?.())),
  );
  for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
}

async function openStore(options: OpenCrawlOptions, status: () => Promise<unknown>): Promise<Store> {
  const { table = DEFAULT_TABLE, create = true, name = 'a service' } = options;
  if (typeof table !== 'string') return table;
  if (isOnHBase(table)) {
    return openHBaseStore(table, options.wait === undefined ? {} : { reachFor: options.wait * 1000 });
  }
  const directory = directoryOf(table);
  if (directory === undefined) return new MemoryStore();
  const open = (): Promise<Store> => openLevelStore(directory, { create });
  const content = (): ContentStore => contentOfTable(directory);
  return openSharedStore({ ...options, directory, open, content, name, version: VERSION, status });
}

/**
 * The directory of a table on disk; undefined for `memory:` and on HBase. A bare path is a directory too; what begins with another scheme
 * is not, nor is a single letter of a drive one.
 * @throws CrawlError BAD_SETTING
 */
export function directoryOf(table: string): string | undefined {
  if (table === 'memory:' || isOnHBase(table)) return undefined;
  const directory = table.startsWith('level:') ? table.slice('level:'.length) : table;
  const isOther = directory === table && /^[a-z][a-z0-9+.-]+:/i.test(table);
  if (directory !== '' && !isOther) return directory;
  throw new CrawlError(
    'BAD_SETTING',
    `expected a table as level:<directory>, hbase://<gateways>/<namespace>:<prefix> or memory:, found "${safeText(table)}"`,
    {
      hint: `for instance --table ${DEFAULT_TABLE}`,
    },
  );
}

/** Where the search index of a table is; undefined where the settings name no folder and the table is in none. */
function indexFolderOf({ index }: Settings, table: OpenCrawlOptions['table'] = DEFAULT_TABLE): string | undefined {
  if (index.path !== '') return index.path;
  const directory = typeof table === 'string' ? directoryOf(table) : undefined;
  return directory === undefined ? undefined : join(absolutePath(directory), 'index');
}

/** Where packages are looked up that the settings name as plugins. */
function folderOf(config: string | undefined): string {
  return config === undefined ? absolutePath() : dirname(absolutePath(config));
}

/** The plugins of a crawl. */
export interface AssembledPlugins {
  /** Those in force: the defaults, those of the settings, and those that were handed in. */
  readonly plugins: readonly Plugin[];
  /** Those of which a parse thread makes twins by `pagePlugins`, in the order of that. */
  readonly shared: readonly Plugin[];
}

/**
 * Makes the default plugins and loads those of the settings.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN
 */
export async function assemblePlugins(
  settings: Settings,
  lookup: Lookup,
  { plugins: given, onPage, config }: Pick<OpenCrawlOptions, 'plugins' | 'onPage' | 'config'>,
): Promise<AssembledPlugins> {
  const loaded = await loadPlugins(settings.plugins, folderOf(config));
  const ofUrls = urlPlugins(settings, readRules(settings));
  const ofPages = parsePlugins(settings);
  const made = [...ofUrls, ...mainPlugins(settings, { lookup }), ...ofPages];
  // One that was changed would do something else than its twin in a thread.
  for (const plugin of made) Object.freeze(plugin);
  const defaults = [...made, ...loaded];
  const listed = typeof given === 'function' ? given(defaults) : [...defaults, ...(given ?? [])];
  const plugins = onPage ? [...listed, { name: 'on-page', onPage }] : listed;
  for (const plugin of plugins) checkPlugin(plugin, 'a plugin in the list of plugins');
  return { plugins, shared: [...ofUrls, ...ofPages, ...loaded] };
}
