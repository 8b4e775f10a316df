/** A page to parse. */
export interface ParseInput {
  /** Absolute and normalised; what relative links are resolved on. */
  readonly url: string;
  readonly content: Uint8Array;
  /** The media type, lower-case, without parameters; empty when unknown. */
  readonly contentType: string;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The content is not whole: it was cut at the limit of its size, or ended early. Absent: it is. */
  readonly truncated?: boolean;
}

/** What one page says to robots, from meta tags and `X-Robots-Tag` together. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** No copy of its text may be shown. */
  readonly noarchive: boolean;
  /** Characters of its text that may be shown where it is found: 0 by `nosnippet`, n by `max-snippet:n`. Absent: any. */
  readonly maxSnippet?: number;
}

/** A link as found in a page. What a sitemap or feed says of its target is a hint, and may be a lie. */
export interface ParsedOutlink {
  /** Absolute, as found, fragment cut, neither normalised nor filtered. */
  readonly url: string;
  readonly anchor: string;
  /** When the target last changed, in ms since the epoch. */
  readonly lastModified?: number;
  /** How often the target changes, in seconds. */
  readonly changeInterval?: number;
  /** Of the target among the pages of its site, 0 to 1. */
  readonly priority?: number;
  /** The target is named as a sitemap, by an index of sitemaps. */
  readonly sitemap?: true;
}

/**
 * By what the encoding of a page was chosen: a byte order mark, the `Content-Type` header, a `meta` element, the XML
 * declaration, that the bytes are valid UTF-8, or the setting `parser.characterEncodingDefault`.
 */
export type CharsetSource = 'byte-order-mark' | 'header' | 'meta' | 'xml-declaration' | 'valid-utf-8' | 'default';

/** What a parser found in a page. */
export interface ParsedPage {
  readonly kind: 'success';
  readonly title: string;
  readonly text: string;
  /** Each URL once, with the first anchor that is not empty. Empty under `nofollow`. */
  readonly outlinks: readonly ParsedOutlink[];
  /** The page is a list of links made for crawlers, so `db.maxOutlinksPerSitemap` bounds them and not `db.maxOutlinksPerPage`. */
  readonly sitemap?: boolean;
  readonly robots: RobotsDirectives;
  /** Absolute. */
  readonly canonical?: string;
  /** A short meta refresh to another page. `delay` in seconds. */
  readonly refresh?: { readonly url: string; readonly delay: number };
  /** The headings of the page in order, as text. */
  readonly headings?: readonly string[];
  /** A BCP 47 tag as stated. */
  readonly language?: string;
  /** WHATWG name of the encoding used. */
  readonly charset?: string;
  readonly charsetSource?: CharsetSource;
  readonly metadata: Readonly<Record<string, string>>;
  /** A bound on elements, links or text was reached, and the rest of the page was left out. */
  readonly truncated?: boolean;
}

/** An expected failure is a value, never a throw. */
export type ParseOutcome =
  | ParsedPage
  | {
      readonly kind: 'failed';
      /** A stable word, where one fits of `PARSE_CODES`. */ readonly code: string;
      /** Untrusted. */ readonly message?: string;
    };

/** Parses content of some media types. */
export interface Parser {
  /** Media types in lower case; `text/*` takes every text type that no other parser names. */
  readonly contentTypes: readonly string[];
  /** Parses one page. What it throws fails that page, as `plugin_error_<name of the plugin>`. */
  parse(input: ParseInput): ParseOutcome | Promise<ParseOutcome>;
  /**
   * It keeps `parser.timeout` itself, from when it begins, and waits more than it works: it is called in the main thread,
   * for many pages at once. Else the time that pages wait for each other counts, and a parse thread takes one at a time.
   */
  readonly ownTimeout?: true;
  /** Ends what it keeps between pages. */
  close?(): Promise<void>;
}
