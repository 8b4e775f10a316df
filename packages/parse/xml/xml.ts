import type { CharsetSource, ParseInput, ParseOutcome, Parser } from '../../plugin-api/index.js';
import { decodeText, fallbackEncoding } from '../charset/charset.js';
import { FeedReader } from './feed.js';
import { gunzip, isGzip } from './gunzip.js';
import { parseHtml } from '../html/html.js';
import { MAX_SITEMAP_BYTES } from '../shared/limits.js';
import { prescanXml } from '../charset/meta-prescan.js';
import { languageTag } from '../html/page-head.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { RobotsReader } from '../shared/robots-directives.js';
import { readTextSitemap, SitemapReader } from './sitemap.js';
import { sniffContentType } from '../sniff/sniff.js';
import { readXml, rootName } from './xml-reader.js';

/**
 * Reads the XML that leads to pages, and knows it by its root element: sitemaps and indexes of sitemaps, feeds
 * (RSS, Atom), and XHTML. Anything else fails as `unsupported_type`. Gzip data is unpacked, and holds one of these or a
 * text sitemap. A document need not be well-formed; it is read as far as it goes.
 *
 * @param clock milliseconds from any origin
 * @throws CrawlError BAD_SETTING when `parser.characterEncodingDefault` names no encoding
 */
export function xmlParser(settings: ParseSettings, clock: () => number = () => performance.now()): Parser {
  fallbackEncoding(settings.parser.characterEncodingDefault);
  return {
    contentTypes: [
      'application/xml',
      'text/xml',
      'application/x-xml',
      'application/sitemap+xml',
      'application/rss+xml',
      'application/atom+xml',
      'application/rdf+xml',
      'application/x-rss+xml',
      'application/gzip',
      'application/x-gzip',
      'application/x-gunzip',
    ],
    parse: (input) => parseXml(input, settings, clock),
  };
}

async function parseXml(input: ParseInput, settings: ParseSettings, clock: () => number): Promise<ParseOutcome> {
  const deadline = clock() + settings.parser.timeout * 1000;
  const expired = () => clock() > deadline;
  const packed = isGzip(input.content);
  const { content, truncated } = packed
    ? await gunzip(input.content, MAX_SITEMAP_BYTES, isText)
    : { content: input.content, truncated: false };
  // The header speaks of what was sent, not of what is packed in it.
  const header = packed ? undefined : input.headers['content-type'];
  const { text, charset, charsetSource } = decodeText(
    content,
    header,
    settings.parser.characterEncodingDefault,
    prescanXml,
  );
  const cut = truncated || input.truncated === true;
  const source: Source = { input, settings, text, charset, charsetSource, truncated: cut, expired };

  const root = /^\s*</.test(text) ? rootName(text, expired) : undefined;
  switch (root) {
    case 'urlset':
    case 'sitemapindex':
      return readSitemap(source);
    case 'rss':
    case 'rdf':
    case 'feed':
      return readFeed(source);
    case 'html':
      return parseHtml({ ...input, content, contentType: 'application/xhtml+xml' }, settings, clock);
    case undefined:
      return expired() ? timedOut(settings) : readTextList(source);
    default:
      return { kind: 'failed', code: 'unsupported_type', message: `XML with the root element ${root.slice(0, 100)}` };
  }
}

/** Packed archives and pictures are not unpacked, nor what is packed again. */
function isText(head: Uint8Array): boolean {
  return /^text\/|xml$/.test(sniffContentType(head, ''));
}

/** A decoded document, and what it needs to become a page. */
interface Source {
  readonly input: ParseInput;
  readonly settings: ParseSettings;
  readonly text: string;
  readonly charset: string;
  readonly charsetSource: CharsetSource;
  readonly truncated: boolean;
  readonly expired: () => boolean;
}

function readSitemap(source: Source): ParseOutcome {
  const { input, settings, text, expired } = source;
  const reader = new SitemapReader(input.url, settings.db.maxOutlinkLength);
  const end = readXml(text, reader, expired);
  if (end === 'timeout') return timedOut(settings);
  return sitemapPage(source, reader.links, end === 'truncated');
}

/** Text in gzip data. */
function readTextList(source: Source): ParseOutcome {
  const links = readTextSitemap(source.text, source.settings.db.maxOutlinkLength, source.truncated);
  if (links) return sitemapPage(source, links, false);
  return { kind: 'failed', code: 'unsupported_type', message: 'neither XML nor a list of URLs' };
}

function sitemapPage(source: Source, found: SitemapReader['links'], cut: boolean): ParseOutcome {
  const { input, settings, charset, charsetSource } = source;
  const robots = new RobotsReader(settings.http.agentName);
  robots.addHeader(input.headers['x-robots-tag']);
  const outlinks = robots.directives.nofollow ? [] : found.resolve(input.url);
  return {
    kind: 'success',
    title: '',
    text: '',
    outlinks,
    sitemap: true,
    // Nobody looks for a sitemap by what is in it.
    robots: { ...robots.directives, noindex: true },
    metadata: {},
    charset,
    charsetSource,
    ...((source.truncated || cut || found.truncated) && { truncated: true }),
  };
}

function readFeed({ input, settings, text, charset, charsetSource, truncated, expired }: Source): ParseOutcome {
  const reader = new FeedReader(input.url, settings);
  const end = readXml(text, reader, expired);
  if (end === 'timeout') return timedOut(settings);
  const robots = new RobotsReader(settings.http.agentName);
  robots.addHeader(input.headers['x-robots-tag']);
  const outlinks = robots.directives.nofollow ? [] : reader.links.resolve(input.url);
  const language = languageTag(reader.language) ?? languageTag(input.headers['content-language']);
  const cut = truncated || end === 'truncated' || reader.links.truncated || reader.content.full;
  return {
    kind: 'success',
    title: reader.title,
    text: reader.content.toString(),
    outlinks,
    robots: robots.directives,
    metadata: reader.description === '' ? {} : { description: reader.description },
    charset,
    charsetSource,
    ...(language !== undefined && { language }),
    ...(cut && { truncated: true }),
  };
}

function timedOut({ parser }: ParseSettings): ParseOutcome {
  return { kind: 'failed', code: 'timeout', message: `not done after ${parser.timeout} seconds` };
}
