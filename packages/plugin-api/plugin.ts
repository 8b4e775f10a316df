import type { FetchSchedule } from './fetch-schedule.js';
import type { IndexFilter, IndexTarget } from './index-writer.js';
import type { OnPage } from './on-page.js';
import type { Parser } from './parser.js';
import type { Protocol } from './protocol.js';
import type { ScoringFilter } from './scoring-filter.js';

/** The purpose of a URL. The answers of normalisers and filters may depend on it. generate calls filters, but no normalisers. */
export type UrlScope = 'inject' | 'outlink' | 'redirect' | 'generate';

/**
 * A plugin is a plain object. Every member except the name is optional. Plugins are called in the order of their list. Normalisers, filters
 * and scoring filters form chains. Of the other members, only the last one in the list that fits is used. Errors of a member are counted
 * under the name of the plugin. Usually an error rejects the URL or fails the page. After an error of a scoring filter or of `onPage`, the
 * member is skipped for this page.
 */
export interface Plugin {
  /** The name of the plugin in counters, in `explain` and in messages. It has lower-case letters and dashes. */
  readonly name: string;
  /** Returns a URL in a better form. The result must be a valid URL. */
  normalizeUrl?(url: string, scope: UrlScope): string;
  /**
   * Returns true to accept a URL, and false or a string to reject it. The string names the rule. For a sitemap, `.gz` is removed from the
   * end of the path of `url`, because `.gz` says only how the sitemap is compressed.
   */
  filterUrl?(url: string, scope: UrlScope): boolean | string;
  /**
   * The version of the rules. Set it if the answers of `normalizeUrl` and `filterUrl` depend only on the URL and the scope. Change it
   * whenever an answer may change. A hash of the rules is a good version.
   *
   * With a version, answers are cached. Then `normalizeUrl` and `filterUrl` are called once for a link that many pages have. If `filterUrl`
   * rejects a page for generate, generate skips this page until the version changes. Without a version, both functions are called each
   * time. Do not set a version if the rules change during a crawl, or if the filter counts URLs.
   */
  readonly version?: string;
  /**
   * Versions of strings by which `filterUrl` rejects pages in generate. A page that was rejected by such a string is checked again only
   * after the version of the string has changed or was removed. A change of `version` has no effect on these
   * pages. Strings and versions consist of letters and digits.
   */
  readonly ruleVersions?: ReadonlyMap<string, string>;
  readonly scoring?: ScoringFilter;
  readonly schedule?: FetchSchedule;
  readonly signature?: Signature;
  readonly protocol?: Protocol;
  readonly parser?: Parser;
  /** Receives every page before it is stored, and may add fields to its row. */
  readonly onPage?: OnPage;
  /**
   * Decides on a page before it is indexed. If it returns true, the page stays as it is. Returned fields replace the fields of the page.
   * false or a string keeps the page out of the index; the string names the rule. The filters of several plugins form a chain. The result
   * must depend only on the document.
   */
  readonly indexFilter?: IndexFilter;
  /**
   * The index to which `index` writes. It replaces the index in the folder of the table. If several plugins have an `indexWriter`, the last
   * plugin in the list is used.
   */
  readonly indexWriter?: IndexTarget;
}

/** Computes the signature of a page, as lower-case hex. If the signature has not changed, the page counts as "not modified". */
export type Signature = (page: {
  readonly url: string;
  readonly content: Uint8Array;
  /** The SHA-1 hash of the content, as lower-case hex. */
  readonly sha1: string;
  readonly text: string;
}) => string;
