import { flawOf, withoutFragment } from './parse-url.js';
import { isPlainUrl } from './plain-url.js';

const [DASH, DOT, SLASH, QUESTION, LOW_LINE, TILDE] = [0x2d, 0x2e, 0x2f, 0x3f, 0x5f, 0x7e];
/** Matches a query that needs no escapes in any encoding. */
const PLAIN_QUERY = /^\?[\w\-.~&=/]*$/;

/** Escapes the text between `?` and `#` of a URL, in an encoding other than UTF-8. */
export type EncodeQuery = (query: string) => string;

/**
 * Returns the absolute URL of a link, resolved as in a browser, without its fragment. null if a crawl cannot fetch the link: the URL is
 * broken, has another scheme (`mailto:`, `javascript:`), or has a user name or password.
 * @param base absolute; otherwise no link resolves
 * @param encodeQuery encodes the query; needed if the document is not in UTF-8
 */
export function resolveLink(href: string, base: string, encodeQuery?: EncodeQuery): string | null {
  let url: URL;
  try {
    url = new URL(encodeQuery ? withEncodedQuery(href, encodeQuery) : href, base);
  } catch {
    return null;
  }
  return flawOf(url) === null ? withoutFragment(url).href : null;
}

/** Does the same as {@link resolveLink} for many links of one page. Most links need no parser. */
export class LinkResolver {
  readonly #base: string;
  readonly #encodeQuery: EncodeQuery | undefined;
  readonly #isPlain: boolean;
  /** Start of the path in a plain base. */
  readonly #root: number;
  /** The folder of a plain base, its parent folder, and so on up to the root. Folders are added when they are needed. */
  readonly #folders: string[] = [];

  /** @param base and `encodeQuery` as in {@link resolveLink} */
  constructor(base: string, encodeQuery?: EncodeQuery) {
    this.#base = base;
    this.#encodeQuery = encodeQuery;
    // The URL parser of Node 20 removes an empty query; later versions keep it.
    this.#isPlain = isPlainUrl(base) && !base.endsWith('?');
    this.#root = this.#isPlain ? base.indexOf('/', base.indexOf('://') + 3) : 0;
    const path = base.split('?', 1)[0]!;
    if (this.#isPlain) this.#folders.push(path.slice(0, path.lastIndexOf('/') + 1));
  }

  resolve(href: string): string | null {
    const plain = this.#isPlain ? this.#resolvePlain(href) : undefined;
    return plain ?? resolveLink(href, this.#base, this.#encodeQuery);
  }

  /** Resolves a link without the parser. Undefined for a link that may need the parser. */
  #resolvePlain(href: string): string | undefined {
    if (href === '') return this.#base;
    if (href.startsWith('http')) return isPlainUrl(href) ? href : this.#inFolder(href);
    if (href.charCodeAt(0) !== SLASH) return this.#inFolder(href);
    return isPlainPath(href, 1) ? this.#base.slice(0, this.#root) + href : undefined;
  }

  #inFolder(href: string): string | undefined {
    let start = 0;
    while (href.startsWith('../', start)) start += 3;
    return isPlainPath(href, start) ? this.#folder(start / 3) + href.slice(start) : undefined;
  }

  /** Returns the folder this number of levels up. Above the root of the host, it returns the root. */
  #folder(levels: number): string {
    const folders = this.#folders;
    while (folders.length <= levels) {
      const last = folders[folders.length - 1]!;
      if (last.length === this.#root + 1) return last;
      folders.push(last.slice(0, last.lastIndexOf('/', last.length - 2) + 1));
    }
    return folders[levels]!;
  }
}

/** Whether the rest of a reference is a path, perhaps with a query, that has no dot segments and needs no escapes. */
function isPlainPath(href: string, from: number): boolean {
  let isStart = true;
  for (let at = from; at < href.length; at++) {
    const code = href.charCodeAt(at);
    if (isNamed(code)) isStart = false;
    // A segment that begins with a dot may be a dot segment. An empty segment may come before a host.
    else if (isStart) return false;
    else if (code === SLASH) isStart = true;
    else if (code === QUESTION) return PLAIN_QUERY.test(href.slice(at));
    else if (code !== DOT && code !== TILDE) return false;
  }
  return true;
}

/** Whether a character is a letter, a digit, `-` or `_`. */
function isNamed(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a;
  if (code >= 0x41) return code <= 0x5a || code === LOW_LINE;
  return (code >= 0x30 && code <= 0x39) || code === DASH;
}

/**
 * Escapes the query of a link in the encoding of the document (HTML Standard, "encoding-parse a URL"). The URL parser escapes the rest in
 * UTF-8. First the characters that the parser ignores are removed, because an encoder would escape them.
 */
export function withEncodedQuery(href: string, encodeQuery: EncodeQuery): string {
  const hash = href.indexOf('#');
  const mark = href.indexOf('?');
  let end = hash === -1 ? href.length : hash;
  if (mark === -1 || mark > end) return href;
  while (hash === -1 && href.charCodeAt(end - 1) <= 0x20) end--;
  const query = href.slice(mark + 1, end).replace(/[\t\n\r]+/g, '');
  // ASCII characters are the same in every encoding.
  return /[^\x20-\x7e]/.test(query) ? href.slice(0, mark + 1) + encodeQuery(query) + href.slice(end) : href;
}
