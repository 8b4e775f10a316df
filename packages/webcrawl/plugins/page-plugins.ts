import type { Settings } from '../../../config/index.js';
import { documentParser, htmlParser, textParser, xmlParser } from '../../parse/index.js';
import type { CompileTableRules, Plugin } from '../../plugin-api/index.js';
import {
  basicUrlNormalizer,
  domainUrlFilter,
  logoutUrlFilter,
  md5Signature,
  portUrlFilter,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  suffixUrlFilter,
  textProfileSignature,
  trapUrlFilter,
} from '../../plugins/index.js';
import { loadPlugins } from './load-plugins.js';

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
    db.signature === 'textProfile' ? textProfileSignature(db) : md5Signature(),
    { name: 'parse-document', parser: documentParser({ parser, db, http }) },
    { name: 'parse-text', parser: textParser({ parser, db, http }) },
    { name: 'parse-xml', parser: xmlParser({ parser, db, http }) },
    { name: 'parse-html', parser: htmlParser({ parser, db, http }) },
  ];
}
