import { loadSettings } from '../../config/index.js';
import { cachedLookup, systemLookup } from '../fetch/index.js';
import type { CheckContext } from '../jobs/index.js';
import { assemblePlugins, closeProtocols, type OpenCrawlOptions } from './open-crawl.js';

/** Settings and plugins without a table: what `checkUrl`, `checkParse` and `fetchDocument` take. Close it after use. */
export interface Checks extends CheckContext, AsyncDisposable {
  /** Ends connections. */
  close(): Promise<void>;
}

/**
 * Reads settings and plugins as `openCrawl` does, and opens no table.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN
 */
export async function openChecks(
  options: Pick<OpenCrawlOptions, 'config' | 'settings' | 'env' | 'plugins'> = {},
): Promise<Checks> {
  const { settings } = loadSettings({ file: options.config, env: options.env, overrides: options.settings });
  const { plugins } = await assemblePlugins(settings, cachedLookup(systemLookup, { clock: Date.now }), options);
  const close = (): Promise<void> => closeProtocols(plugins);
  return { settings, plugins, close, [Symbol.asyncDispose]: close };
}
