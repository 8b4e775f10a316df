import { readFileSync } from 'node:fs';
import { readShippedFile, type Settings, type ShippedFile } from '../../../config/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { httpProtocol, type HttpExtras } from '../../fetch/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import { adaptiveSchedule, defaultSchedule, opicScoring } from '../../plugins/index.js';
import { parsePlugins, urlPlugins, type RuleTexts } from './page-plugins.js';

/**
 * Creates the default plugins of a crawl from the settings.
 * @param extras how hosts are looked up; absent: by the system's resolver
 * @throws CrawlError BAD_SETTING that names every wrong line of a rule file, BAD_INPUT when a file cannot be read
 */
export function defaultPlugins(settings: Settings, extras: Pick<HttpExtras, 'lookup'> = {}): readonly Plugin[] {
  return [...urlPlugins(settings, readRules(settings)), ...mainPlugins(settings, extras), ...parsePlugins(settings)];
}

/** The default plugins that only the main thread needs. */
export function mainPlugins(settings: Settings, extras: Pick<HttpExtras, 'lookup'>): readonly Plugin[] {
  const { db, http } = settings;
  return [
    opicScoring({ linkInternal: db.scoreLinkInternal, linkExternal: db.scoreLinkExternal }),
    db.fetchSchedule === 'adaptive' ? adaptiveSchedule(db) : defaultSchedule(db),
    { name: 'protocol-http', protocol: httpProtocol(http, extras) },
  ];
}

/**
 * Reads the rule files that the settings name. If they do not name a file, the file that comes with webcrawl is read.
 * @throws CrawlError BAD_INPUT when a file cannot be read
 */
export function readRules({ urlnormalizer, urlfilter }: Settings): RuleTexts {
  const optional = (file: string): string | undefined => (file === '' ? undefined : readRuleFile(file));
  const shipped = (file: string, name: ShippedFile): string => optional(file) ?? readShippedFile(name);
  return {
    normalize: shipped(urlnormalizer.regexFile, 'regex-normalize.txt'),
    regex: shipped(urlfilter.regexFile, 'regex-urlfilter.txt'),
    prefix: optional(urlfilter.prefixFile),
    suffix: optional(urlfilter.suffixFile),
    domain: optional(urlfilter.domainFile),
  };
}

function readRuleFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CrawlError('BAD_INPUT', `cannot read the rule file ${safeText(file)}`, { cause });
  }
}
