import type { Status } from '../../../webtable/index.js';

/** Sums over rows. */
export interface PrefixFigures {
  readonly rows: number;
  /** Rows by status; without those of which there is none. Their sum is `rows`, but for rows whose status cannot be read. */
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
  /** Rows that are worth having, as the row says. */
  readonly fit: number;
  /** Rows whose text is that of another page, which is kept (`dedup`). */
  readonly duplicates: number;
  /** Rows whose last fetch failed: neither a page, nor a redirect, nor a page that was as before. */
  readonly errors: number;
  /** Bytes of the bodies that the last fetches brought, content codings undone. */
  readonly bytes: number;
  /** Milliseconds that the last requests took together, without the time they waited for their turn. */
  readonly fetchMs: number;
}

/**
 * All rows below a prefix of one scheme, host and port. Untrusted text. Plain data, fit for JSON.
 *
 * A node has the rows of the nodes below it, so nodes of one level, of which none has a `parameter`, have no row in common. What
 * was too small for a node of its own is in the one above.
 */
export interface PrefixNode extends PrefixFigures {
  /** The host alone, as `host:` scopes name it. */
  readonly host: string;
  /** With scheme and, unless it is the default, port: `https://news.example:8443`. */
  readonly origin: string;
  /** The registrable domain, as `domain:` scopes name it. */
  readonly domain: string;
  /**
   * How path and query of all its rows begin: `/`, `/news/`, `/news/2026/`, or `/list?` for one path with a query. Also the prefix that
   * a rule would have.
   */
  readonly prefix: string;
  /**
   * Only the rows below the prefix whose query has a parameter of this name, as it is in the URL. A row is in the nodes of all its
   * parameters, of each in one.
   */
  readonly parameter?: string;
}

/** Of which rows statistics are made, or shown. */
export interface PrefixSelection {
  /** Only this domain and its sub-domains. Default: the whole table. */
  readonly domain?: string;
  /** Fewer rows than this are no node of their own. At least 1. */
  readonly min?: number;
  /** Names in a path, at most, that make a node; `/news/2026/` has two. 0: hosts alone. */
  readonly depth?: number;
}
