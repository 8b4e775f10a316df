import type { TextRange } from '../../webtable/index.js';

/** A page to parse. */
export interface ParseInput {
  /** The URL of the page, absolute and normalised. It is the base of relative links. */
  readonly url: string;
  readonly content: Uint8Array;
  /** The media type in lower case, without parameters. Empty if it is unknown. */
  readonly contentType: string;
  /** Response headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the content is incomplete: it was cut at its size limit, or ended early. Absent: the content is complete. */
  readonly truncated?: boolean;
}

/** The directives to robots that a page has in meta tags and in `X-Robots-Tag`, combined. */
export interface RobotsDirectives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** Whether the page asks that no copy of its text is shown. */
  readonly noarchive: boolean;
  /** Maximum number of characters of the page's text in a snippet: 0 for `nosnippet`, n for `max-snippet:n`. Absent: no limit. */
  readonly maxSnippet?: number;
}

/** A link as it was found in a page. `lastModified`, `changeInterval` and `priority` are hints of a sitemap or feed, and may be false. */
export interface ParsedOutlink {
  /** The absolute URL as it was found, without fragment. It is not normalised, and no filter has checked it. */
  readonly url: string;
  readonly anchor: string;
  /** When the target last changed, in ms since the epoch. */
  readonly lastModified?: number;
  /** Seconds between two changes of the target. */
  readonly changeInterval?: number;
  /** The priority of the target among the pages of its site, from 0 to 1. */
  readonly priority?: number;
  /** Whether a sitemap index names the target as a sitemap. */
  readonly sitemap?: true;
}

/**
 * How the encoding of a page was found: by a byte order mark, the `Content-Type` header, a `meta` element, or the XML declaration. If the
 * page has none of these, the encoding is UTF-8 if the bytes are valid, or the setting `parser.characterEncodingDefault`.
 */
export type CharsetSource = 'byte-order-mark' | 'header' | 'meta' | 'xml-declaration' | 'valid-utf-8' | 'default';

/** The result of parsing a page. */
export interface ParsedPage {
  readonly kind: 'success';
  readonly title: string;
  readonly text: string;
  /** The ranges of the text that are prose, or that must not appear in snippets. They are in order, and do not overlap. */
  readonly textRanges?: readonly TextRange[];
  /**
   * The start and end of each block of the text that is content and not navigation. The blocks are in order, and do not overlap. The parser
   * decides on each block while it reads the page. The change log compares these blocks. Absent: the whole text is one block.
   */
  readonly contentBlocks?: readonly number[];
  /** The links of the page. Each URL occurs once, with its first anchor that is not empty. Under `nofollow` there are no links. */
  readonly outlinks: readonly ParsedOutlink[];
  /**
   * Whether the page is a list of links for crawlers. If so, `db.maxOutlinksPerSitemap` limits the number of its links, and not
   * `db.maxOutlinksPerPage`.
   */
  readonly sitemap?: boolean;
  readonly robots: RobotsDirectives;
  /** The canonical URL that the page states. It is absolute. */
  readonly canonical?: string;
  /** A meta refresh that leads to another page after a short delay. `delay` is in seconds. */
  readonly refresh?: { readonly url: string; readonly delay: number };
  /** The headings of the page, as text and in order. */
  readonly headings?: readonly string[];
  /** The language as a BCP 47 tag, if the page states it. */
  readonly language?: string;
  /** The WHATWG name of the encoding by which the page was decoded. */
  readonly charset?: string;
  readonly charsetSource?: CharsetSource;
  readonly metadata: Readonly<Record<string, string>>;
  /** Whether the page is an empty shell that scripts fill in a browser: it runs scripts, and has no links and hardly any text. */
  readonly needsScripts?: boolean;
  /** Whether a limit on elements, links or text was reached, so that the rest of the page was left out. */
  readonly truncated?: boolean;
  /** Whether only text was left out, so that all links of the page are known. `truncated` is set too. */
  readonly hasAllLinks?: boolean;
  /** Number of pages of a PDF with missing text, because the characters of a font are unknown. */
  readonly textLost?: number;
  /** Number of pages of a PDF that show something but have no text, such as scans. */
  readonly textless?: number;
}

/** The result of a parser. An expected failure is returned, and not thrown. */
export type ParseOutcome =
  | ParsedPage
  | {
      readonly kind: 'failed';
      /** A word from a fixed set. Use one of `PARSE_CODES` if one of them fits. */
      readonly code: string;
      /** Untrusted. */ readonly message?: string;
    };

/** Parses content of certain media types. */
export interface Parser {
  /** Media types in lower case. `+xml` stands for all types with this ending. `text/*` stands for all text types that no other parser names. */
  readonly contentTypes: readonly string[];
  /** Parses one page. If it throws, the page fails with the code `plugin_error_<name of the plugin>`. */
  parse(input: ParseInput): ParseOutcome | Promise<ParseOutcome>;
  /**
   * Whether the parser itself ends the parse of each page at `parser.timeout`, counted from the start of the parse. This is for parsers
   * that mostly wait. Such a parser is called in the main thread, for many pages at the same time. Any other parser runs in a parse thread,
   * for one page at a time, and `parser.timeout` also includes the time for which the page waits.
   */
  readonly ownTimeout?: true;
  /** Frees what the parser has stored for later pages. */
  close?(): Promise<void>;
}
