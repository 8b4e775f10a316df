import type { PrefixFigures } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';

/**
 * All rows below a prefix of one scheme, host and port. Untrusted text. Plain data, fit for JSON.
 *
 * A node counts the rows of the nodes below it too, and what was too small for a node of its own. A row that is in a node is in all those
 * above it; nodes of one level, of which none has a `parameter`, have no row in common.
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
   * Only the rows below the prefix whose query has a parameter of this name, as it is in the URL. A row is in a node for each of its
   * parameters, the innermost in which the parameter has rows enough.
   */
  readonly parameter?: string;
}

/** Of which rows statistics are made or shown, and how finely. */
export interface PrefixSelection {
  /** Only this domain and its sub-domains. Default: the whole table. */
  readonly domain?: string;
  /** What has fewer rows than this is part of the prefix above it, and no node of its own; at least 1. Default: 10. */
  readonly min?: number;
  /** Names in a path, at most, that make a node: `/news/2026/` has two, `/news/list?` too. 0: hosts alone. Default: 16. */
  readonly depth?: number;
}

/** The default of {@link PrefixSelection} `min`. */
export const DEFAULT_MIN = 10;
/** The default of {@link PrefixSelection} `depth`: paths of more names are made up by a site that leads nowhere. */
export const DEFAULT_DEPTH = 16;

/** @throws CrawlError USAGE for a `min` or `depth` that is none */
export function checkSelection({ min, depth }: PrefixSelection): void {
  check('min', min, 1);
  check('depth', depth, 0);
}

function check(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new CrawlError('USAGE', `expected a ${name} of at least ${least}, a whole number, found ${value}`);
}
