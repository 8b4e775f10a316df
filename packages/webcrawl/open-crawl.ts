import { dirname, resolve } from 'node:path';
import { loadSettings, type SettingSource, type Settings } from '../../config/index.js';
import {
  MemoryStore,
  WebTable,
  openLevelStore,
  rowKeyOf,
  type Field,
  type PageRow,
  type Store,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { cachedLookup, systemLookup, type Lookup } from '../fetch/index.js';
import { readPages, type CrawlContext, type PageSelection, type ParseThreads } from '../jobs/index.js';
import type { OnPage, Plugin } from '../plugin-api/index.js';
import { normalizeUrl } from '../plugin-api/index.js';
import { checkPlugin } from './check-plugin.js';
import { mainPlugins, readRules } from './default-plugins.js';
import { loadPlugins } from './load-plugins.js';
import { parsePlugins, urlPlugins } from './page-plugins.js';
import { parseThreadsOf } from './parse-threads.js';

/** What to open, and with which settings and plugins. Everything may be left out. */
export interface OpenCrawlOptions {
  /**
   * Where the table is: `level:<directory>` (made where it is missing), `memory:` for one that ends with the process,
   * or a store, which is closed with the crawl. Default: `level:./webcrawl-data`.
   */
  readonly table?: string | Store;
  /** false: a table that is not there is an error and is not made. Default: true. */
  readonly create?: boolean;
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
  /**
   * One page by its URL, which is normalised as a seed would be.
   * @throws CrawlError BAD_URL when it is no URL that a table can hold
   */
  page<F extends Field>(url: string, fields: readonly F[]): Promise<PageRow<F | 'status'> | undefined>;
  /** Pages in key order with the status and the fields asked for. The table may be written meanwhile; each page is whole. */
  pages<F extends Field>(
    selection: PageSelection & { readonly fields: readonly F[] },
  ): AsyncGenerator<PageRow<F | 'status'> & { readonly url: string }>;
  /** Ends connections and threads, and closes the table. Calling it again does nothing. */
  close(): Promise<void>;
}

/** Where the table is when nothing else is said. */
export const DEFAULT_TABLE = 'level:./webcrawl-data';

/**
 * Opens a table and reads settings and plugins.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN, NO_TABLE, TABLE_LOCKED, TABLE_VERSION, TABLE_DAMAGED, STORE_FULL,
 *   STORE_FAILED
 */
export async function openCrawl(options: OpenCrawlOptions = {}): Promise<Crawl> {
  const { settings, sources } = loadSettings({
    file: options.config,
    ...(options.env && { env: options.env }),
    ...(options.settings && { overrides: options.settings }),
  });
  const clock = options.clock ?? Date.now;
  const lookup = cachedLookup(options.lookup ?? systemLookup, { clock });
  const { plugins, shared } = await assemblePlugins(settings, lookup, options);
  const parseThreads = parseThreadsOf(settings, shared, folderOf(options.config));
  const store = await openStore(options.table ?? DEFAULT_TABLE, options.create ?? true);
  let table: WebTable;
  try {
    table = await WebTable.open(store);
  } catch (error) {
    // A store that was handed in is still the caller's.
    if (store !== options.table) await store.close();
    throw error;
  }

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll(plugins, table, parseThreads));
  return {
    table,
    settings,
    settingSources: sources,
    plugins,
    clock,
    random: options.random ?? Math.random,
    lookup,
    ...(parseThreads && { parseThreads }),
    async page(url, fields) {
      const verdict = normalizeUrl(plugins, url, 'inject');
      if (!verdict.accepted) throw new CrawlError('BAD_URL', verdict.rule);
      return table.get(rowKeyOf(verdict.url), ['status', ...fields]);
    },
    pages: ({ fields, ...selection }) => readPages({ table }, selection, fields),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Closes the table whatever the plugins do. */
async function closeAll(plugins: readonly Plugin[], table: WebTable, threads?: ParseThreads): Promise<void> {
  try {
    await threads?.close();
    await closeProtocols(plugins);
  } finally {
    await table.close();
  }
}

/** Ends the connections and parsers of every plugin; then throws what the first one threw that failed to. */
export async function closeProtocols(plugins: readonly Plugin[]): Promise<void> {
  const closed = await Promise.allSettled(
    plugins.flatMap(({ protocol, parser }) => [protocol, parser].map(async (part) => part?.close?.())),
  );
  for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
}

async function openStore(table: string | Store, create: boolean): Promise<Store> {
  if (typeof table !== 'string') return table;
  if (table === 'memory:') return new MemoryStore();
  const directory = /^level:(.+)$/s.exec(table)?.[1];
  if (directory !== undefined) return openLevelStore(directory, { create });
  throw new CrawlError('BAD_SETTING', `expected a table as level:<directory> or memory:, found "${safeText(table)}"`, {
    hint: `for instance --table ${DEFAULT_TABLE}`,
  });
}

/** Where packages are looked up that the settings name as plugins. */
function folderOf(config: string | undefined): string {
  return config === undefined ? process.cwd() : dirname(resolve(config));
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
