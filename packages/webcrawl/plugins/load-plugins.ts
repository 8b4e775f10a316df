import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CrawlError, messageOf, safeText } from '../../errors/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import { checkPlugin } from './check-plugin.js';

/**
 * Imports the modules of the setting `plugins`. The default export of each is a plugin or a list of plugins.
 * @param folder where a module named without a path is looked up as a package
 * @throws CrawlError BAD_PLUGIN when a module cannot be imported or exports something else
 */
export async function loadPlugins(modules: readonly string[], folder: string): Promise<readonly Plugin[]> {
  const plugins: Plugin[] = [];
  for (const module of modules) {
    const exported = await importDefault(module, folder);
    const list = Array.isArray(exported) ? (exported as unknown[]) : [exported];
    plugins.push(...list.map((plugin) => checkPlugin(plugin, `"${safeText(module)}" to export a plugin as default`)));
  }
  return plugins;
}

async function importDefault(module: string, folder: string): Promise<unknown> {
  try {
    const loaded = (await import(placeOf(module, folder))) as { default?: unknown };
    return loaded.default;
  } catch (cause) {
    const why = safeText(messageOf(cause));
    throw new CrawlError('BAD_PLUGIN', `cannot load the module "${safeText(module)}": ${why}`, {
      hint:
        'a module is a file by its full name, as ./name.mjs, ./name.js where its package.json says "type": "module", or ./name.ts ' +
        'on Node 22.18 and later; or a package that is installed beside the settings file',
      cause,
    });
  }
}

/** Returns the URL of a module. A package is looked up from the user's folder first, then from the folder of webcrawl. */
function placeOf(module: string, folder: string): string {
  if (isAbsolute(module)) return pathToFileURL(module).href;
  try {
    return pathToFileURL(createRequire(join(folder, 'webcrawl.json')).resolve(module)).href;
  } catch {
    return module;
  }
}
