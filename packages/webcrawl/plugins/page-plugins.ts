import type { Settings } from '../../../config/index.js';
import { documentParser, htmlParser, textParser, xmlParser } from '../../parse/index.js';
import type { CompileTableRules, Plugin } from '../../plugin-api/index.js';
import {
  basicUrlNormalizer,
  domainUrlFilter,
  logoutUrlFilter,
  portUrlFilter,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  sha1Signature,
  suffixUrlFilter,
  textProfileSignature,
  trapUrlFilter,
} from '../../plugins/index.js';
import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CrawlError, messageOf, safeText } from '../../errors/index.js';
import { checkPlugin } from './check-plugin.js';

export { urlPatterns } from '../../plugins/index.js';

// Each parse thread imports this file. Therefore it imports only modules that parsing needs.

/** Compiles rules of the table. The compiler is loaded at the first call. */
export const compileTableRules: CompileTableRules = async (stored, scores) =>
  (await import('../../rules/index.js')).compileRules(stored, scores);

/** The texts of the rule files in force. Undefined: the settings name no such file. */
export interface RuleTexts {
  readonly normalize: string;
  readonly regex: string;
  readonly prefix: string | undefined;
  readonly suffix: string | undefined;
  readonly domain: string | undefined;
}

/** The settings on which the plugins depend that are called to parse a page. */
export type PageSettings = Pick<Settings, 'db' | 'http' | 'parser' | 'plugins' | 'urlfilter'>;

export interface PagePluginInput {
  readonly settings: PageSettings;
  readonly rules: RuleTexts;
  /** The folder where packages of `plugins` are looked up. */
  readonly folder: string;
}

/**
 * Creates the plugins that are called to parse a page: the defaults, and the plugins of the settings.
 * @throws CrawlError BAD_SETTING, BAD_PLUGIN
 */
export async function pagePlugins({ settings, rules, folder }: PagePluginInput): Promise<readonly Plugin[]> {
  return [...urlPlugins(settings, rules), ...parsePlugins(settings), ...(await pluginsOfSettings(settings, folder))];
}

/**
 * Loads the plugins that the settings name. If `parser.audit` is on, it also loads the plugin that stores facts for `audit`.
 * @throws CrawlError BAD_PLUGIN
 */
export async function pluginsOfSettings(settings: PageSettings, folder: string): Promise<readonly Plugin[]> {
  const loaded = await loadPlugins(settings.plugins, folder);
  return settings.parser.audit ? [...loaded, (await import('../../audit/index.js')).auditFacts()] : loaded;
}

/**
 * Creates the default normalisers and filters. The filter for traps comes before the filters with regular expressions, so that these
 * receive only URLs of bounded length.
 * @throws CrawlError BAD_SETTING that names every wrong line of a rule file
 */
export function urlPlugins({ urlfilter, http }: PageSettings, rules: RuleTexts): readonly Plugin[] {
  const { normalize, regex, prefix, suffix, domain } = rules;
  return [
    basicUrlNormalizer(),
    regexUrlNormalizer(normalize),
    portUrlFilter(),
    trapUrlFilter({
      maxLength: urlfilter.trapMaxLength,
      maxRepeats: urlfilter.trapMaxRepeats,
      maxParameters: urlfilter.trapMaxParameters,
      maxDepth: urlfilter.trapMaxDepth,
    }),
    ...(Object.keys(http.cookies).length === 0 ? [] : [logoutUrlFilter(Object.keys(http.cookies))]),
    regexUrlFilter(regex),
    ...(prefix === undefined ? [] : [prefixUrlFilter(prefix)]),
    ...(suffix === undefined ? [] : [suffixUrlFilter(suffix)]),
    ...(domain === undefined ? [] : [domainUrlFilter(domain)]),
  ];
}

export function parsePlugins({ db, http, parser }: PageSettings): readonly Plugin[] {
  return [
    db.signature === 'textProfile' ? textProfileSignature(db) : sha1Signature(),
    { name: 'parse-document', parser: documentParser({ parser, db, http }) },
    { name: 'parse-text', parser: textParser({ parser, db, http }) },
    { name: 'parse-xml', parser: xmlParser({ parser, db, http }) },
    { name: 'parse-html', parser: htmlParser({ parser, db, http }) },
  ];
}

/**
 * Imports the modules of the setting `plugins`. The default export of each is a plugin or a list of plugins.
 * @param folder where a module named without a path is looked up as a package
 * @throws CrawlError BAD_PLUGIN when a module cannot be imported or exports something else
 */
async function loadPlugins(modules: readonly string[], folder: string): Promise<readonly Plugin[]> {
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
