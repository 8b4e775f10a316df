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
import { readPages, type CrawlContext, type PageSelection } from '../jobs/index.js';
import type { Plugin } from '../plugin-api/index.js';
import { applyUrlChain } from '../plugin-api/index.js';
import { defaultPlugins } from './default-plugins.js';
import { loadPlugins } from './load-plugins.js';

/** What to open, and with which settings and plugins. Everything may be left out. */
export interface OpenCrawlOptions {
  /**
   * Where the table is: `level:<directory>` (made where it is missing), `memory:` for one that ends with the process,
   * or a store, which is closed with the crawl. Default: `level:./webcrawl-data`.
   */
  readonly table?: string | Store;
  /** A settings file, JSON. */
  readonly config?: string;
  /** Settings by section or by dotted key; they win over the file and the environment. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where `WEBCRAWL_…` variables are looked up. Absent: nowhere; the command passes `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Plugins in order of call, after the defaults. A function gets the defaults and returns the whole list. */
  readonly plugins?: readonly Plugin[] | ((defaults: readonly Plugin[]) => readonly Plugin[]);
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
  page<F extends Field>(url: string, fields: readonly F[]): Promise<PageRow<F> | undefined>;
  /** Pages in key order with the fields asked for. The table may be written meanwhile; each page is whole. */
  pages<F extends Field>(
    selection: PageSelection & { readonly fields: readonly F[] },
  ): AsyncGenerator<PageRow<F> & { readonly url: string }>;
  /** Ends connections and closes the table. Calling it again does nothing. */
  close(): Promise<void>;
}

const DEFAULT_TABLE = 'level:./webcrawl-data';

/**
 * Opens a table and reads settings and plugins.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN, TABLE_LOCKED, TABLE_VERSION, TABLE_DAMAGED, STORE_FULL,
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
  const plugins = await assemblePlugins(settings, lookup, options);
  const store = await openStore(options.table ?? DEFAULT_TABLE);
  let table: WebTable;
  try {
    table = await WebTable.open(store);
  } catch (error) {
    // A store that was handed in is still the caller's.
    if (store !== options.table) await store.close();
    throw error;
  }

  const close = async (): Promise<void> => {
    for (const plugin of plugins) await plugin.protocol?.close?.();
    await table.close();
  };
  return {
    table,
    settings,
    settingSources: sources,
    plugins,
    clock,
    random: options.random ?? Math.random,
    lookup,
    page: (url, fields) => {
      const verdict = applyUrlChain(
        plugins.map(({ filterUrl: _, ...plugin }) => plugin),
        url,
        'inject',
      );
      if (!verdict.accepted) throw new CrawlError('BAD_URL', verdict.rule);
      return table.get(rowKeyOf(verdict.url), fields);
    },
    pages: ({ fields, ...selection }) => readPages({ table }, selection, fields),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openStore(table: string | Store): Promise<Store> {
  if (typeof table !== 'string') return table;
  if (table === 'memory:') return new MemoryStore();
  const directory = /^level:(.+)$/s.exec(table)?.[1];
  if (directory !== undefined) return openLevelStore(directory);
  throw new CrawlError('BAD_SETTING', `expected a table as level:<directory> or memory:, found "${safeText(table)}"`, {
    hint: `for instance --table ${DEFAULT_TABLE}`,
  });
}

async function assemblePlugins(
  settings: Settings,
  lookup: Lookup,
  { plugins }: OpenCrawlOptions,
): Promise<readonly Plugin[]> {
  const defaults = [...defaultPlugins(settings, { lookup }), ...(await loadPlugins(settings.plugins))];
  return typeof plugins === 'function' ? plugins(defaults) : [...defaults, ...(plugins ?? [])];
}
