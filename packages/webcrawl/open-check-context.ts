import { loadSettings } from '../../config/index.js';
import { cachedLookup, systemLookup } from '../fetch/index.js';
import { MemoryStore, openTables, rowKeyOf } from '../../webtable/index.js';
import {
  NO_RULES,
  createRequestsInUse,
  createRunningJobs,
  enterSeedHosts,
  type CheckContext,
  type CrawlContext,
} from '../jobs/index.js';
import { parseUrl } from '../url/index.js';
import { urlPatterns } from '../plugins/index.js';
import type { OpenCrawlOptions } from './open-context.js';
import { checks } from './options/job-options.js';
import { assemblePlugins, closeProtocols } from './plugins/assemble-plugins.js';

/** Settings and plugins without a table, as the context of `checkUrl`, `checkParse` and `fetchDocument`. Close it after use. */
export interface OpenCheckContext extends CheckContext, Pick<CrawlContext, 'rules'>, AsyncDisposable {
  /**
   * Returns a context for requests. The delays and back-offs of hosts are kept in memory until the context is closed.
   * @param named a URL whose host may have a private address, as the host of a seed may
   */
  requesting(named?: string): Promise<CrawlContext>;
  close(): Promise<void>;
}

/**
 * Reads settings and plugins like `openContext`, but opens no table.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN
 */
export async function openCheckContext(
  options: Pick<OpenCrawlOptions, 'config' | 'settings' | 'env' | 'plugins'> = {},
): Promise<OpenCheckContext> {
  checks.openCrawl(options);
  const { settings, sources } = loadSettings({ file: options.config, env: options.env, overrides: options.settings });
  const lookup = cachedLookup(systemLookup, { clock: Date.now });
  const { plugins } = await assemblePlugins(settings, lookup, options);
  const close = (): Promise<void> => closeProtocols(plugins);
  let requesting: Promise<CrawlContext> | undefined;
  async function inMemory(): Promise<CrawlContext> {
    const tables = await openTables(new MemoryStore());
    const clock = Date.now;
    return {
      tables,
      settings,
      settingSources: sources,
      plugins,
      rules: NO_RULES,
      clock,
      random: Math.random,
      lookup,
      urlPatterns,
      parseThreads: undefined,
      requestsInUse: createRequestsInUse(),
      running: createRunningJobs({ tables, clock }),
      indexFolder: undefined,
      outsideChanges: () => 0,
    };
  }
  return {
    settings,
    plugins,
    rules: NO_RULES,
    async requesting(named) {
      const crawl = await (requesting ??= inMemory());
      if (named !== undefined) await enterSeedHosts(crawl.tables, [rowKeyOf(parseUrl(named).href)]);
      return crawl;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
