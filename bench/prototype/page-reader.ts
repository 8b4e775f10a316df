import type { Settings } from '../../config/index.js';
import { htmlParser } from '../../packages/parse/html-parser.js';
import { sniffContentType } from '../../packages/parse/sniff/sniff.js';
import { textParser } from '../../packages/parse/text-parser.js';
import type { ParsedPage, Parser, UrlScope } from '../../packages/plugin-api/index.js';
import type { Target } from './hosts.js';

/** The content of a page. */
export interface ReadPage {
  readonly title: string;
  /** In UTF-8. */
  readonly text: Uint8Array;
  /** The linked URLs, each once, with the first non-empty anchor of each. */
  readonly targets: readonly Target[];
  readonly anchors: readonly string[];
}

/** A page without content. */
export const EMPTY_PAGE: ReadPage = { title: '', text: new Uint8Array(), targets: [], anchors: [] };

/** Headers by lower-case name. Values of a repeated name are joined by commas. */
export type Headers = Readonly<Record<string, string>>;

/** Reads a page. Undefined for a media type whose body only is stored. */
export type PageReader = (url: string, headers: Headers, body: Buffer) => ReadPage | undefined;

/**
 * Reads HTML and plain text, as webcrawl does.
 * @param targetOf the target of a URL; null for a rejected one
 */
export function createPageReader(
  settings: Settings,
  targetOf: (url: string, by: UrlScope) => Target | null,
): PageReader {
  const parsers: readonly Parser[] = [htmlParser(settings), textParser(settings)];
  let pageNumber = 0;

  function parsed(url: string, headers: Headers, content: Buffer, contentType: string): ReadPage | undefined {
    const parser = parsers.find(({ contentTypes }) => contentTypes.includes(contentType));
    // Both parsers return synchronously.
    const outcome = parser?.parse({ url, content, contentType, headers, truncated: false }) as
      | ParsedPage
      | { readonly kind: 'failed' }
      | undefined;
    if (!outcome || outcome.kind === 'failed') return undefined;
    const { title, text, outlinks, refresh, robots } = outcome;
    const links = linkList();
    if (!robots.nofollow) {
      const to = refresh === undefined || refresh.url === url ? null : targetOf(refresh.url, 'redirect');
      if (to) links.add(to, '');
      for (const link of outlinks) {
        const target = targetOf(link.url, 'outlink');
        if (target) links.add(target, link.anchor);
      }
    }
    return { title, text: Buffer.from(text), targets: links.targets, anchors: links.anchors };
  }

  function linkList() {
    const page = ++pageNumber;
    const targets: Target[] = [];
    const anchors: string[] = [];
    return {
      targets,
      anchors,
      add(target: Target, anchor: string): void {
        if (target.page === page) anchors[target.link] ||= anchor;
        else {
          target.page = page;
          target.link = targets.push(target) - 1;
          anchors.push(anchor);
        }
      },
    };
  }

  return (url, headers, body) => {
    const declared = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const contentType = sniffContentType(body, declared, headers);
    return parsed(url, headers, body, contentType);
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
