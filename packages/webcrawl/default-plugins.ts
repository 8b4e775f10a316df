import { readFileSync } from 'node:fs';
import { readShippedFile, type Settings, type ShippedFile } from '../../config/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { httpProtocol, type HttpExtras } from '../fetch/index.js';
import { htmlParser, pdfParser, textParser, xmlParser } from '../parse/index.js';
import type { Plugin } from '../plugin-api/index.js';
import {
  adaptiveSchedule,
  basicUrlNormalizer,
  defaultSchedule,
  domainUrlFilter,
  md5Signature,
  opicScoring,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  suffixUrlFilter,
  textProfileSignature,
  trapUrlFilter,
} from '../plugins/index.js';

/**
 * The plugins that a crawl has unless told otherwise, made to the settings. The filter for traps comes before those
 * with regular expressions, so that these only see URLs of bounded length.
 * @param extras how hosts are looked up; absent: by the system's resolver
 * @throws CrawlError BAD_SETTING naming every wrong line of a rule file, BAD_INPUT when a file can not be read
 */
export function defaultPlugins(settings: Settings, extras: Pick<HttpExtras, 'lookup'> = {}): readonly Plugin[] {
  const { urlnormalizer, urlfilter, db, http, parser } = settings;
  const fileFilters: [string, (text: string) => Plugin][] = [
    [urlfilter.prefixFile, prefixUrlFilter],
    [urlfilter.suffixFile, suffixUrlFilter],
    [urlfilter.domainFile, domainUrlFilter],
  ];
  return [
    basicUrlNormalizer(),
    regexUrlNormalizer(rules(urlnormalizer.regexFile, 'regex-normalize.txt')),
    trapUrlFilter({
      maxLength: urlfilter.trapMaxLength,
      maxRepeats: urlfilter.trapMaxRepeats,
      maxParameters: urlfilter.trapMaxParameters,
      maxDepth: urlfilter.trapMaxDepth,
    }),
    regexUrlFilter(rules(urlfilter.regexFile, 'regex-urlfilter.txt')),
    ...fileFilters.flatMap(([file, make]) => (file === '' ? [] : [make(readRules(file))])),
    opicScoring({ linkInternal: db.scoreLinkInternal, linkExternal: db.scoreLinkExternal }),
    db.fetchSchedule === 'adaptive' ? adaptiveSchedule(db) : defaultSchedule(db),
    db.signature === 'textProfile' ? textProfileSignature(db) : md5Signature(),
    { name: 'protocol-http', protocol: httpProtocol(http, extras) },
    { name: 'parse-pdf', parser: pdfParser({ parser, db, http }) },
    { name: 'parse-text', parser: textParser({ parser, db, http }) },
    { name: 'parse-xml', parser: xmlParser({ parser, db, http }) },
    { name: 'parse-html', parser: htmlParser({ parser, db, http }) },
  ];
}

function rules(file: string, shipped: ShippedFile): string {
  return file === '' ? readShippedFile(shipped) : readRules(file);
}

function readRules(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CrawlError('BAD_INPUT', `expected a rule file at "${safeText(file)}", but it can not be read`, { cause });
  }
}
