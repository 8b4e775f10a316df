import type { PrefixFigures } from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';

/**
 * All rows below a prefix of one scheme, host and port. Its texts are untrusted. A node is plain data, fit for JSON.
 *
 * A node also counts the rows of the nodes below it, and rows of prefixes that are too small to be nodes. If neither of two nodes is
 * below the other, and both have no `parameter`, they never count the same row.
 */
export interface PrefixNode extends PrefixFigures {
  /** The host without the port, as in the scopes `host:…` of rules. */
  readonly host: string;
  /** Scheme and host; the port follows if it is not the default: `https://news.example:8443`. */
  readonly origin: string;
  /** The registrable domain, as in the scopes `domain:…` of rules. */
  readonly domain: string;
  /**
   * The first part of path and query, which all rows of the node share: `/`, `/news/`, `/news/2026/`, or `/list?` for one path with a
   * query. A rule with this prefix matches the same rows.
   */
  readonly prefix: string;
  /**
   * The name of a query parameter, as written in the URL. If it is set, the node counts only the rows below the prefix that have this
   * parameter. Each row is counted once for each of its parameters: at the innermost prefix where the parameter has enough rows.
   */
  readonly parameter?: string;
}

/** The rows to count or to show, and the level of detail. */
export interface PrefixSelection {
  /** Count or show only this domain and its sub-domains. Default: the whole table. */
  readonly domain?: string;
  /** Minimum number of rows of a node; at least 1. A prefix with fewer rows is counted in the prefix above it. Default: 10. */
  readonly min?: number;
  /**
   * Maximum number of names in the path of a node: `/news/2026/` has two names, and `/news/list?` too. 0: only hosts are nodes. Default:
   * 16.
   */
  readonly depth?: number;
}

export const DEFAULT_MIN = 10;
/** The default of {@link PrefixSelection} `depth`. Paths that are deeper are mostly endless paths of a faulty site. */
export const DEFAULT_DEPTH = 16;

/** @throws CrawlError USAGE for a wrong `min` or `depth` */
export function checkSelection({ min, depth }: PrefixSelection): void {
  check('min', min, 1);
  check('depth', depth, 0);
}

function check(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new CrawlError('USAGE', `expected a ${name} of at least ${least}, a whole number, found ${value}`);
}
