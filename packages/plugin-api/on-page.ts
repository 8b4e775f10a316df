import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Outlink } from '../../webtable/index.js';
import type { RobotsDirectives } from './parser.js';

/** The tree of an HTML page, as parse5 makes it with its default tree adapter, with scripting off. */
export type HtmlDocument = DefaultTreeAdapterTypes.Document;

/** A page that was fetched and parsed, before its row is stored. Nothing of it may be changed. Texts are untrusted. */
export interface CrawledPage {
  /** Normalised, as in the table. */
  readonly url: string;
  /** The media type that it was parsed as, lower-case, without parameters. */
  readonly contentType: string;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, content codings undone. */
  readonly content: Uint8Array;
  /** The body, or what was read of it, is not whole. */
  readonly truncated: boolean;
  readonly title: string;
  readonly text: string;
  /** The links that are kept: normalised, and accepted by every filter. */
  readonly outlinks: readonly Outlink[];
  /** What the page says of itself: meta tags and the like. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly robots: RobotsDirectives;
  /** The canonical URL that the page names, normalised. */
  readonly canonical?: string;
  /** A BCP 47 tag as the page states it. */
  readonly language?: string;
  /** WHATWG name of the encoding used. */
  readonly charset?: string;
  /**
   * The tree of an HTML or XHTML page, made when it is first asked for and kept for the other plugins; at most 100,000
   * elements of it. Undefined for other media types, and where making it takes longer than `parser.timeout`.
   */
  document(): HtmlDocument | undefined;
}

/**
 * Called once for every page that was fetched and parsed, before its row is stored; for one that was not modified it is
 * not called. After a kill, or where a page is parsed again, it may be called again for the same page, so what it does
 * elsewhere must bear that. What it returns is stored in the row as the field `custom`, with what other plugins
 * return; of two values of one name that of the later plugin counts. Values are what JSON can hold.
 * An error, or an answer that is later than `parser.timeout`, is counted as `plugin_error_<name>`, and fields that are
 * too long as `custom_over_limit_<name>`; the page is stored all the same.
 */
export type OnPage = (
  page: CrawledPage,
) =>
  | Readonly<Record<string, unknown>>
  | undefined
  | void
  | Promise<Readonly<Record<string, unknown>> | undefined | void>;
