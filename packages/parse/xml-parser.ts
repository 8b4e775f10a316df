import { constants, createGunzip } from 'node:zlib';
import type { ParsedPage, ParseInput, ParseOutcome, Parser, RobotsDirectives } from '../plugin-api/index.js';
import { decodeText, fallbackEncoding, type DecodedText } from './charset/charset.js';
import { FeedReader } from './xml/feed.js';
import { isGzip } from './xml/sniff-sitemap.js';
import { parseHtml } from './html-parser.js';
import { MAX_SITEMAP_BYTES } from './shared/limits.js';
import type { LinkCollector } from './shared/link-collector.js';
import { prescanXml } from './charset/meta-prescan.js';
import { languageTag } from './html/head/language-tag.js';
import type { ParseSettings } from './shared/parse-settings.js';
import { RobotsReader } from './shared/robots-directives.js';
import { readTextSitemap, SitemapReader } from './xml/sitemap.js';
import { sniffContentType } from './sniff/sniff.js';
import { inflate } from '../util/index.js';
import { readXml, rootName } from './xml/xml-reader.js';

/**
 * Reads XML documents that lead to pages, recognised by their root element: sitemaps and sitemap indexes, feeds (RSS, Atom), and XHTML.
 * Other documents fail as `unsupported_type`. Gzip data is unpacked; it may contain one of these documents or a text sitemap. A document
 * that is not well-formed is read as far as possible.
 *
 * @param clock returns milliseconds, from any start
 * @throws CrawlError BAD_SETTING if `parser.characterEncodingDefault` names no encoding
 */
export function xmlParser(settings: ParseSettings, clock: () => number = () => performance.now()): Parser {
  fallbackEncoding(settings.parser.characterEncodingDefault);
  return {
    contentTypes: [
      'application/xml',
      'text/xml',
      'application/x-xml',
      '+xml',
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
  const { content, truncated } = packed ? await gunzip(input.content) : { content: input.content, truncated: false };
  // The header describes the body as it was sent, not the unpacked data.
  const header = packed ? undefined : input.headers['content-type'];
  const decoded = decodeText(content, header, settings.parser.characterEncodingDefault, prescanXml);
  const { text } = decoded;
  const { directives } = new RobotsReader(settings.http.agentName, input.headers['x-robots-tag']);
  const cut = truncated || input.truncated === true;
  const source: Source = { input, settings, decoded, directives, truncated: cut, expired };

  const root = /^\s*</.test(text) ? rootName(text, expired) : undefined;
  switch (root) {
    case 'urlset':
    case 'sitemapindex':
      return readSitemap(source);
    case 'rss':
    case 'rdf':
    case 'rdf:rdf':
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

/**
 * Unpacks data. If the data ends early, the result has everything up to its end. If the data is broken, `truncated` is set, and the
 * result has everything up to about 16 KiB before the error.
 */
async function gunzip(packed: Uint8Array): Promise<{ content: Uint8Array; truncated: boolean }> {
  const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const { output, over, error } = await inflate(stream, packed, MAX_SITEMAP_BYTES, isText);
  return { content: output, truncated: over || error !== undefined };
}

/** Whether unpacked bytes are text. It returns false for archives, pictures, and data that was packed twice. */
function isText(head: Uint8Array): boolean {
  return /^text\/|xml$/.test(sniffContentType(head, ''));
}

interface Source {
  readonly input: ParseInput;
  readonly settings: ParseSettings;
  readonly decoded: DecodedText;
  readonly directives: RobotsDirectives;
  readonly truncated: boolean;
  readonly expired: () => boolean;
}

function readSitemap(source: Source): ParseOutcome {
  const { input, settings, decoded, expired } = source;
  const reader = new SitemapReader(input.url, settings.db.maxOutlinkLength);
  const end = readXml(decoded.text, reader, expired);
  if (end === 'timeout') return timedOut(settings);
  return sitemapPage(source, reader.links, end === 'truncated');
}

function readTextList(source: Source): ParseOutcome {
  const links = readTextSitemap(source.decoded.text, source.settings.db.maxOutlinkLength, source.truncated);
  if (links) return sitemapPage(source, links, false);
  return { kind: 'failed', code: 'unsupported_type', message: 'neither XML nor a list of URLs' };
}

function sitemapPage(source: Source, links: LinkCollector, cut: boolean): ParsedPage {
  // A sitemap must not be found by a search.
  return { ...pageOf(source, links, cut), sitemap: true, robots: { ...source.directives, noindex: true } };
}

function readFeed(source: Source): ParseOutcome {
  const { input, settings, decoded, expired } = source;
  const reader = new FeedReader(input.url, settings);
  const end = readXml(decoded.text, reader, expired);
  if (end === 'timeout') return timedOut(settings);
  const language = languageTag(reader.language) ?? languageTag(input.headers['content-language']);
  return {
    ...pageOf(source, reader.links, end === 'truncated' || reader.content.full),
    title: reader.title,
    text: reader.content.toString(),
    metadata: reader.description === '' ? {} : { description: reader.description },
    ...(language !== undefined && { language }),
  };
}

function pageOf({ input, decoded, directives, truncated }: Source, links: LinkCollector, cut: boolean): ParsedPage {
  const outlinks = directives.nofollow ? [] : links.resolve(input.url);
  return {
    kind: 'success',
    title: '',
    text: '',
    outlinks,
    robots: directives,
    metadata: {},
    charset: decoded.charset,
    charsetSource: decoded.charsetSource,
    ...((truncated || cut || links.truncated) && { truncated: true }),
  };
}

function timedOut({ parser }: ParseSettings): ParseOutcome {
  return { kind: 'failed', code: 'timeout', message: `not done after ${parser.timeout} seconds` };
}
