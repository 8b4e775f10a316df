/**
 * FROZEN. Everything in this file is persisted: table, family and column names, and the codes of statuses. A name may
 * be added; none may be changed or used again for something else without raising {@link SCHEMA_VERSION}.
 */

/** Written into every table when it is made and checked when it is opened. */
export const SCHEMA_VERSION = 6;

/**
 * The tables with their families, and how a family is shaped, by which a store lays it out:
 * `packed`: few small cells that are read together; `wide`: any number of cells, each written and read alone.
 */
export const TABLES = {
  webpage: { m: 'packed', l: 'wide', p: 'packed' },
  content: { c: 'packed' },
  frontier: { f: 'packed' },
  batch: { b: 'packed' },
  host: { h: 'packed' },
  rule: { r: 'packed' },
  meta: { v: 'packed' },
} as const satisfies Record<string, Record<string, FamilyShape>>;

export type FamilyShape = 'packed' | 'wide';
/** The name of a table. */
export type TableName = keyof typeof TABLES;

/** What is known of a page. `retry` is there only between fetch and updatedb. */
export const STATUS_CODES = {
  /** Known and not fetched yet, or failed and to be tried again. */
  unfetched: 1,
  /** The last fetch brought a body. */
  fetched: 2,
  /** There is no such page, it may not be fetched, or it failed too often; looked at again after a long time. */
  gone: 3,
  /** It redirects for now. */
  redir_temp: 4,
  /** It redirects for good. */
  redir_perm: 5,
  /** The last fetch failed and may work later; only until updatedb. */
  retry: 34,
  /** The last fetch found the page as it was. */
  notmodified: 38,
} as const;

/** What is known of a page, by name. */
export type Status = keyof typeof STATUS_CODES;

/** All statuses, by code. */
export const STATUSES = Object.keys(STATUS_CODES) as readonly Status[];

/** Whether a row of this status was redirected when it was fetched last. */
export function isRedirect(status: Status | undefined): boolean {
  return status === 'redir_perm' || status === 'redir_temp';
}

/** Each job leaves its mark, holding the batch id (inject: `y`), in the row change that does its work. */
export const MARK_COLUMNS = {
  /** The page is a seed; the value is `y`. */
  inject: 'm:ki',
  /** A batch holds the page. */
  generate: 'm:kg',
  /** It was fetched in the batch. */
  fetch: 'm:kf',
  /** It was parsed in the batch. */
  parse: 'm:kp',
  /** The batch in which it was last fetched, and which is closed. */
  updatedb: 'm:ku',
  /** The page is in the search index as of this batch. */
  index: 'm:kx',
} as const;

/** The name of a mark, which is the name of the job that leaves it. */
export type Mark = keyof typeof MARK_COLUMNS;

/** The column of every field of a page but marks, inlinks, inlinkCount and content. */
export const FIELD_COLUMNS = {
  status: 'm:st',
  dueAt: 'm:ft',
  fetchedAt: 'm:pf',
  fetchInterval: 'm:fi',
  retries: 'm:re',
  modifiedTime: 'm:mt',
  score: 'm:sc',
  cash: 'm:ca',
  cashInFlight: 'm:sh',
  distance: 'm:di',
  distanceInFlight: 'm:dh',
  signature: 'm:sg',
  prevSignature: 'm:ps',
  newSignature: 'm:ns',
  protocolStatus: 'm:pr',
  parseStatus: 'm:pa',
  contentType: 'm:ct',
  redirectTarget: 'm:rt',
  redirectDepth: 'm:rn',
  linkedUpTo: 'm:lk',
  inlinkBound: 'm:in',
  sitemap: 'm:sm',
  refusedBy: 'm:rf',
  metadata: 'm:md',
  contentAt: 'm:co',
  contentVersions: 'm:cv',
  rank: 'm:rk',
  hostRank: 'm:rh',
  duplicateOf: 'm:du',
  fit: 'm:fu',
  fitBonus: 'm:fb',
  cutLinks: 'm:cl',
  bodyBytes: 'm:bb',
  fetchMs: 'm:fm',
  outlinks: 'l:o',
  title: 'p:ti',
  text: 'p:tx',
  language: 'p:la',
  headings: 'p:hd',
  pageMetadata: 'p:me',
  custom: 'p:cu',
  headers: 'p:he',
} as const;

/** Inlinks are one column per source: this, followed by the row key of the source. */
export const INLINK_COLUMN_PREFIX = 'l:i:';

/** All rules are one row, so that they change as one: a column for each, this followed by its id. */
export const RULE_COLUMN_PREFIX = 'r:d:';

/** The columns of the tables beside `webpage`. `v:f` was when hosts were asked last, which the leases say now. */
export const INDEX_COLUMNS = {
  schemaVersion: 'v:n',
  slots: 'v:s',
  tableId: 'v:i',
  consumers: 'v:u',
  consumerRun: 'v:w',
  canonical: 'v:k',
  crawlScope: 'v:c',
  rankRun: 'v:r',
  lease: 'v:l',
  leaseHolder: 'v:h',
  workerReport: 'v:p',
  keySplits: 'v:t',
  frontierScore: 'f:s',
  batchHeader: 'b:h',
  batchEntry: 'b:e',
  batchProgress: 'b:p',
  robotsRequest: 'b:r',
  hostRobots: 'h:rb',
  hostSeed: 'h:in',
  hostBackoff: 'h:bo',
  hostLeads: 'h:le',
  rulesVersion: 'r:v',
  lastRule: 'r:n',
  ruleCounts: 'r:c',
  proposals: 'r:o',
  ruleHistory: 'r:h',
  wwwApplied: 'r:w',
  prefixPass: 'r:p',
  prefixFigures: 'r:s',
} as const;
