import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Outlink } from '../../webtable/index.js';
import type { RobotsDirectives } from './parser.js';

/**
 * The tree of an HTML page. parse5 makes it with its default tree adapter, and with scripting off. Declarative shadow roots replace the
 * children of their hosts, and slots contain the children that they show.
 */
export type HtmlDocument = DefaultTreeAdapterTypes.Document;

/** A page after fetch and parse, before its row is stored. Plugins must not change it. Its texts are untrusted. */
export interface CrawledPage {
  /** The URL of the page, normalised as in the table. */
  readonly url: string;
  /** The media type by which the page was parsed, in lower case and without parameters. */
  readonly contentType: string;
  /** Response headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body after content codings are removed. */
  readonly content: Uint8Array;
  /** Whether the body is incomplete, or only a part of it was read. */
  readonly truncated: boolean;
  readonly title: string;
  readonly text: string;
  /** The headings in order, as text. */
  readonly headings?: readonly string[];
  /** The links that are stored. They are normalised, and every filter accepts them. */
  readonly outlinks: readonly Outlink[];
  /** What the page states about itself, for example in meta tags. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly robots: RobotsDirectives;
  /** The canonical URL that the page states, normalised. */
  readonly canonical?: string;
  /** The language as a BCP 47 tag. If the page does not state it, it is detected from the text. */
  readonly language?: string;
  /** The WHATWG name of the encoding by which the page was decoded. */
  readonly charset?: string;
  /**
   * Returns the tree of an HTML or XHTML page, with at most 100,000 elements. The tree is made at the first call, and all plugins share it.
   * Returns undefined for other media types, or if the tree cannot be made within `parser.timeout`.
   */
  document(): HtmlDocument | undefined;
}

/**
 * Called once for every page that was fetched and parsed, before its row is stored. It is not called for a page that has not changed. After
 * a kill, or if a page is parsed again, it may be called again for the same page, so its side effects must allow a second call.
 *
 * The returned fields are stored in the field `custom` of the row, together with the fields of other plugins. If two plugins return a field
 * with the same name, the field of the later plugin is stored. JSON must be able to hold the values. An error, or a result that arrives
 * after `parser.timeout`, is counted as `plugin_error_<name>`. Fields that are too long are counted as `custom_over_limit_<name>`. In both
 * cases the page is still stored.
 */
export type OnPage = (
  page: CrawledPage,
) =>
  | Readonly<Record<string, unknown>>
  | undefined
  | void
  | Promise<Readonly<Record<string, unknown>> | undefined | void>;
