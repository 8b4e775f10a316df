import type { FetchSchedule } from './fetch-schedule.js';
import type { IndexFilter, IndexTarget } from './index-writer.js';
import type { OnPage } from './on-page.js';
import type { Parser } from './parser.js';
import type { Protocol } from './protocol.js';
import type { ScoringFilter } from './scoring-filter.js';

/** What a URL is wanted for; a normaliser or filter may treat them differently. generate filters and does not normalise. */
export type UrlScope = 'inject' | 'outlink' | 'redirect' | 'generate';

/**
 * A plugin is a plain object; every member but the name is optional. The order of the list of plugins is the order of
 * calls: normalisers, filters and scoring filters form chains; of the others the last one that fits serves.
 * What a member throws is counted under the plugin's name: it rejects the URL, or fails the page, that the member was
 * called for; a scoring filter and `onPage` are passed over.
 */
export interface Plugin {
  /** Shown in counters, `explain` and messages. Lower case with dashes. */
  readonly name: string;
  /** Returns the URL in a better form. What it returns must parse as a URL. */
  normalizeUrl?(url: string, scope: UrlScope): string;
  /**
   * true accepts; false or a string rejects, and the string names the rule that did. The URL of a sitemap comes without
   * `.gz` at the end of its path, as that says how it is packed and not what is in it.
   */
  filterUrl?(url: string, scope: UrlScope): boolean | string;
  /**
   * Says that `normalizeUrl` and `filterUrl` go by the URL and the scope alone, and changes whenever they may answer otherwise
   * than before, like a digest of their rules. With it their answers are remembered: they are not called for every page that
   * has the same link, and a page that they reject for generate is not met again until this has changed. Without it they are
   * called each time, as is needed by rules that change while a crawl runs, and by filters that count.
   */
  readonly version?: string;
  /**
   * Of the strings that `filterUrl` answers for generate some, each with a version: pages that were rejected so are not met again until
   * that of their string has changed or is gone, whatever becomes of `version`. Letters and digits, of both.
   */
  readonly ruleVersions?: ReadonlyMap<string, string>;
  readonly scoring?: ScoringFilter;
  readonly schedule?: FetchSchedule;
  readonly signature?: Signature;
  readonly protocol?: Protocol;
  readonly parser?: Parser;
  /** Sees every page before it is stored, and may add fields of its own. */
  readonly onPage?: OnPage;
  /**
   * Of a page that is to be indexed: true leaves it as it is, fields take the place of its own, and false or a string keeps it out of the
   * index; the string names the rule that does. Those of several plugins form a chain. It must go by the document alone.
   */
  readonly indexFilter?: IndexFilter;
  /** Where `index` writes, in place of the index in the folder of the table. Of several the last one serves. */
  readonly indexWriter?: IndexTarget;
}

/** Digest of a page in lower-case hex; equal digests mean "not modified". */
export type Signature = (page: { readonly url: string; readonly content: Uint8Array; readonly text: string }) => string;
