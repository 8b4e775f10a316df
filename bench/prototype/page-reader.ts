import { htmlParser } from '../../packages/parse/html-parser.js';
import { sniffContentType } from '../../packages/parse/sniff/sniff.js';
import { textParser } from '../../packages/parse/text-parser.js';
import type { ParsedOutlink, ParsedPage, Parser } from '../../packages/plugin-api/index.js';
import type { Settings } from '../../config/index.js';

/** What a page says. */
export interface ReadPage {
  readonly title: string;
  readonly text: string;
  /** Absolute, not normalised yet. */
  readonly links: readonly ParsedOutlink[];
  /** Where it leads on by itself. */
  readonly refresh: string | undefined;
}

/** Headers by name in lower case; of several of one name the values with commas between them. */
export type Headers = Readonly<Record<string, string>>;

/** Reads pages as webcrawl does: HTML and plain text; of other media types the body is all that is kept. */
export function createPageReader(
  settings: Settings,
): (url: string, headers: Headers, body: Buffer) => ReadPage | undefined {
  const parsers: readonly Parser[] = [htmlParser(settings), textParser(settings)];
  return (url, headers, content) => {
    const declared = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const contentType = sniffContentType(content, declared, headers);
    const parser = parsers.find(({ contentTypes }) => contentTypes.includes(contentType));
    // Both answer at once.
    const outcome = parser?.parse({ url, content, contentType, headers, truncated: false }) as
      ParsedPage | { readonly kind: 'failed' } | undefined;
    if (!outcome || outcome.kind === 'failed') return undefined;
    const { title, text, outlinks, refresh, robots } = outcome;
    return { title, text, links: robots.nofollow ? [] : outlinks, refresh: refresh?.url };
  };
}

/** The headers of an answer. */
export function headersOf(head: Buffer): Headers {
  const headers: Record<string, string> = {};
  const lines = head.toString('latin1', 0, head.length - 4).split('\r\n');
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!;
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
