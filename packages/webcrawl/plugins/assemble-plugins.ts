import { dirname } from 'node:path';
import { absolutePath, type Settings } from '../../../config/index.js';
import type { Lookup } from '../../fetch/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import type { OpenCrawlOptions } from '../open-context.js';
import { checkPlugin } from './check-plugin.js';
import { mainPlugins, readRules } from './default-plugins.js';
import { parsePlugins, pluginsOfSettings, urlPlugins } from './page-plugins.js';

/** Returns the folder in which plugins of the settings are looked up if they are packages. */
export function folderOf(config: string | undefined): string {
  return config === undefined ? absolutePath() : dirname(absolutePath(config));
}

interface AssembledPlugins {
  /** The plugins in force: the default plugins, the plugins of the settings, and plugins that were passed in as objects. */
  readonly plugins: readonly Plugin[];
  /** The plugins that a parse thread creates again by `pagePlugins`, in the same order. */
  readonly shared: readonly Plugin[];
}

/** @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN */
export async function assemblePlugins(
  settings: Settings,
  lookup: Lookup,
  { plugins: given, onPage, config }: Pick<OpenCrawlOptions, 'plugins' | 'onPage' | 'config'>,
): Promise<AssembledPlugins> {
  const loaded = await pluginsOfSettings(settings, folderOf(config));
  const ofUrls = urlPlugins(settings, readRules(settings));
  const ofPages = parsePlugins(settings);
  const made = [...ofUrls, ...mainPlugins(settings, { lookup }), ...ofPages];
  // If a plugin could be changed, it would differ from its copy in a parse thread.
  for (const plugin of made) Object.freeze(plugin);
  const defaults = [...made, ...loaded];
  const listed = typeof given === 'function' ? given(defaults) : [...defaults, ...(given ?? [])];
  const plugins = onPage ? [...listed, { name: 'on-page', onPage }] : listed;
  for (const plugin of plugins) checkPlugin(plugin, 'a plugin in the list of plugins');
  return { plugins, shared: [...ofUrls, ...ofPages, ...loaded] };
}

/** Closes the connections and parsers of all plugins, even if one of them fails. Then it throws the first error. */
export async function closeProtocols(plugins: readonly Plugin[]): Promise<void> {
  const closed = await Promise.allSettled(
    plugins.flatMap(({ protocol, parser }) => [protocol, parser].map(async (part) => part?.close?.())),
  );
  for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason;
}
