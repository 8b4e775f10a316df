import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CrawlError, messageOf, safeText } from '../errors/index.js';
import type { Plugin } from '../plugin-api/index.js';

const MEMBERS: Readonly<Record<string, string>> = {
  normalizeUrl: 'function',
  filterUrl: 'function',
  signature: 'function',
  scoring: 'object',
  schedule: 'object',
  protocol: 'object',
  parser: 'object',
};

/**
 * Imports the modules of the setting `plugins`. The default export of each is a plugin or a list of plugins.
 * @throws CrawlError BAD_PLUGIN when a module can not be imported or exports something else
 */
export async function loadPlugins(modules: readonly string[]): Promise<readonly Plugin[]> {
  const plugins: Plugin[] = [];
  for (const module of modules) {
    let exported: unknown;
    try {
      const loaded = (await import(isAbsolute(module) ? pathToFileURL(module).href : module)) as { default?: unknown };
      exported = loaded.default;
    } catch (cause) {
      throw new CrawlError(
        'BAD_PLUGIN',
        `expected a module at "${safeText(module)}", but: ${safeText(messageOf(cause))}`,
        { cause },
      );
    }
    for (const plugin of Array.isArray(exported) ? (exported as unknown[]) : [exported]) {
      plugins.push(checked(plugin, module));
    }
  }
  return plugins;
}

function checked(plugin: unknown, module: string): Plugin {
  const found = plugin as Record<string, unknown> | null | undefined;
  let wrong: string | undefined;
  if (typeof found !== 'object' || found === null) wrong = `found ${found === undefined ? 'none' : typeof found}`;
  else if (typeof found.name !== 'string' || found.name === '') wrong = 'found one without a name';
  else {
    const known = Object.keys(MEMBERS).filter((member) => found[member] !== undefined);
    const bad = known.find((member) => typeof found[member] !== MEMBERS[member]);
    if (known.length === 0)
      wrong = `found "${safeText(found.name, 60)}" that has none of ${Object.keys(MEMBERS).join(', ')}`;
    else if (bad) wrong = `found "${safeText(found.name, 60)}" whose ${bad} is no ${MEMBERS[bad]}`;
  }
  if (wrong === undefined) return plugin as Plugin;
  throw new CrawlError('BAD_PLUGIN', `expected "${safeText(module)}" to export a plugin as default, ${wrong}`, {
    hint: 'a plugin is a plain object with a name and at least one member of the type Plugin',
  });
}
