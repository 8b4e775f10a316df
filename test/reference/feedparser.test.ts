import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseParser, htmlParser, sniffContentType, textParser, xmlParser } from '../../packages/parse/index.js';
import { plainText } from '../../packages/parse/xml/feed-text.js';
import type { ParsedPage, ParseOutcome } from '../../packages/plugin-api/index.js';
import { mediaTypeOf } from '../../packages/util/index.js';
import { PARSE_SETTINGS } from '../support/parsing/parse-page.js';

/**
 * The test feeds of feedparser are in no npm package; its source package for Python has them, in `tests`. This is that folder. Each feed
 * states its expected result in a comment.
 */
const folder = process.env['WEBCRAWL_FEEDPARSER'] ?? join(import.meta.dirname, '../../.cache/feedparser');
const present = existsSync(join(folder, 'wellformed'));
const SERVER = 'http://127.0.0.1:8097/';
const plugins = [textParser, htmlParser, xmlParser].map((made) => ({ parser: made(PARSE_SETTINGS) }));

/** Deliberate deviations, by the names of the files, with the reason. */
const OTHER: readonly (readonly [files: RegExp, reason: string])[] = [
  [/^encoding\/(x80_)?(ebcdic|(cs)?ibm(037|039|1140|500)|cp(037|500|875))/, 'EBCDIC is in no standard of the web'],
  [/^encoding\/(csucs4|iso-10646-ucs-4|ucs-4|utf[-_]32)/, 'the Encoding Standard has no UTF-32'],
  [/^encoding\/x80_/, 'the Encoding Standard has no such encoding or label, so it is the one of the settings'],
  [/^entities\/[lr]ang\.xml$/, 'the HTML Standard has another character of that name'],
  [/_base64/, 'base64 is a form of Atom 0.3 alone, and its titles were never written so'],
  [
    /_content_location\.xml$|\/headers_content_location-relative\.xml$/,
    'a Content-Location is no base (RFC 9110, 8.7)',
  ],
  [/^wellformed\/atom10\/entry_link_rel_license\.xml$/, 'a licence is no page of the entry'],
  [/^wellformed\/psc\/atomsimplechapterexternal\.xml$/, 'a list of chapters is no page of the entry'],
  [/^wellformed\/base\/feed_link_xml_base_iri\.xml$/, 'the address of the feed itself is no link of it'],
  [/^wellformed\/(cdf|base\/cdf_)/, 'CDF was given up before 2000'],
  [/^wellformed\/media-rss\/item_media_title1\.xml$/, 'the title of a picture is none of the item'],
  [/^wellformed\/rss\/(channel|item)_dc_title\.xml$/, 'a title of an extension only'],
  [/^wellformed\/rss\/item_image_link_conflict\.xml$/, 'the name of a host is in lower case in a URL'],
  [/^wellformed\/sanitize\/(entry|feed)_title_crazy\.xml$/, 'the expected text is cut within a script'],
  [
    /^wellformed\/sanitize\/xml_declaration_unexpected_character\.xml$/,
    'a doctype of HTML that does not end has no text',
  ],
  [/^wellformed\/sanitize\/xml_malicious_comment\.xml$/, 'this comment of HTML goes on to the end'],
  [/^encoding\/http_(application|text)_xml_(dtd|epe)_/, 'a part of a document is no document (MIME Sniffing, 4.6)'],
  [/^http\/http_status_302-no-location\.xml$/, 'there is nothing in it'],
  [/^illformed\/rss_empty_document\.xml$/, 'there is nothing in it'],
];

interface Case {
  readonly file: string;
  readonly field: 'title' | 'link';
  readonly isEntry: boolean;
  readonly expected: string;
  readonly outcome: ParseOutcome;
}

const STATEMENT =
  /(feed|entries\[0\])(?:\[u?['"](title|links?)['"]\]|\.(title|links?))(?:\[\d+\])?(?:\[['"]href['"]\]|\.href)? == (u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))/g;

async function read(file: string): Promise<{ source: string; outcome: ParseOutcome }> {
  const content = readFileSync(join(folder, file));
  const source = content.toString();
  const header = /^Header:\s*Content-type:\s*(.*)$/im.exec(source)?.[1];
  const headers = header === undefined ? {} : { 'content-type': header };
  const declared = header === undefined ? 'application/xml' : (mediaTypeOf(header) ?? '');
  const contentType = sniffContentType(content, declared, headers);
  const plugin = chooseParser(plugins, contentType);
  const input = { url: SERVER + file, content, contentType, headers };
  return { source, outcome: (await plugin?.parser.parse(input)) ?? { kind: 'failed', code: 'unsupported_type' } };
}

async function readAll(): Promise<{ files: string[]; cases: Case[]; failed: string[] }> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.xml'))
    .sort();
  const cases: Case[] = [];
  const failed: string[] = [];
  for (const file of files) {
    const { source, outcome } = await read(file);
    if (outcome.kind === 'failed') failed.push(file);
    const expectations = /Expect:\s*(.*)$/m.exec(source)?.[1] ?? '';
    for (const [, of, one, other = one, literal = ''] of expectations.matchAll(STATEMENT)) {
      const field = other === 'title' ? 'title' : 'link';
      cases.push({ file, field, isEntry: of !== 'feed', expected: stringOf(literal), outcome });
    }
  }
  return { files, cases, failed };
}

/** A string of Python. */
function stringOf(literal: string): string {
  return literal
    .replace(/^u/, '')
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gi, (_, wide?: string, narrow?: string, char?: string) => {
      const code = wide ?? narrow;
      if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
      return ({ n: '\n', t: '\t', r: '\r' } as Record<string, string>)[char!] ?? char!;
    });
}

/** A title is text here, and HTML in feedparser if it is HTML in the feed. */
function isFound({ field, isEntry, expected, outcome }: Case): boolean {
  if (outcome.kind === 'failed') return false;
  if (field === 'link') return outcome.outlinks.some(({ url }) => url === expected);
  const title = isEntry ? titleOfEntry(outcome) : outcome.title;
  const plain = expected.replace(/\s+/g, ' ').trim();
  return title === plain || title === plainText(expected, Infinity);
}

/** The title of an entry: its first anchor, or else the text after the title of the feed, because these small feeds have no other text. */
function titleOfEntry({ outlinks, text, title }: ParsedPage): string {
  const anchor = outlinks.find((link) => link.anchor !== '')?.anchor;
  return anchor ?? text.slice(title === '' ? 0 : title.length + 1);
}

describe.skipIf(!present)(
  present
    ? 'the feeds of feedparser'
    : 'the feeds of feedparser (skipped: not at hand; WEBCRAWL_FEEDPARSER names their folder)',
  () => {
    test('have the titles and links that the file states', async () => {
      const { files, cases, failed } = await readAll();
      expect(files).toHaveLength(2242);
      expect(cases.length).toBeGreaterThan(550);
      const deviating = [...new Set([...cases.filter((each) => !isFound(each)).map(({ file }) => file), ...failed])];
      expect(deviating.filter((file) => !OTHER.some(([pattern]) => pattern.test(file)))).toEqual([]);
      expect(OTHER.filter(([pattern]) => !deviating.some((file) => pattern.test(file)))).toEqual([]);
    });
  },
);
