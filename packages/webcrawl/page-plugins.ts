import type { Settings } from '../../config/index.js';
import { htmlParser, pdfParser, textParser, xmlParser } from '../parse/index.js';
import type { Plugin } from '../plugin-api/index.js';
import {
  basicUrlNormalizer,
  domainUrlFilter,
  md5Signature,
  portUrlFilter,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  suffixUrlFilter,
  textProfileSignature,
  trapUrlFilter,
} from '../plugins/index.js';
import { loadPlugins } from './load-plugins.js';

export { urlPatterns } from '../plugins/index.js';

// A parse thread imports this file, so it imports no more than parsing takes.

/** The texts of the rule files in force; undefined where the settings name none. */
export interface RuleTexts {
  readonly normalize: string;
  readonly regex: string;
  readonly prefix: string | undefined;
  readonly suffix: string | undefined;
  readonly domain: string | undefined;
}

/** What {@link pagePlugins} makes plugins of, as plain data. */
export interface PagePluginInput {
  readonly settings: Settings;
  readonly rules: RuleTexts;
  /** Where the packages are looked up that `plugins` names. */
  readonly folder: string;
}

/**
 * The plugins that parsing a page calls: the default ones, and those of the settings.
 * @throws CrawlError BAD_SETTING, BAD_PLUGIN
 */
export async function pagePlugins({ settings, rules, folder }: PagePluginInput): Promise<readonly Plugin[]> {
  const loaded = await loadPlugins(settings.plugins, folder);
  return [...urlPlugins(settings, rules), ...parsePlugins(settings), ...loaded];
}

/**
 * The default normalisers and filters. The filter for traps comes before those with regular expressions, so that these
 * only see URLs of bounded length.
 * @throws CrawlError BAD_SETTING naming every wrong line of a rule file
 */
export function urlPlugins({ urlfilter }: Settings, rules: RuleTexts): readonly Plugin[] {
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
    regexUrlFilter(regex),
    ...(prefix === undefined ? [] : [prefixUrlFilter(prefix)]),
    ...(suffix === undefined ? [] : [suffixUrlFilter(suffix)]),
    ...(domain === undefined ? [] : [domainUrlFilter(domain)]),
  ];
}

/** The default signature and parsers. */
export function parsePlugins({ db, http, parser }: Settings): readonly Plugin[] {
  return [
    db.signature === 'textProfile' ? textProfileSignature(db) : md5Signature(),
    { name: 'parse-pdf', parser: pdfParser({ parser, db, http }) },
    { name: 'parse-text', parser: textParser({ parser, db, http }) },
    { name: 'parse-xml', parser: xmlParser({ parser, db, http }) },
    { name: 'parse-html', parser: htmlParser({ parser, db, http }) },
  ];
}
