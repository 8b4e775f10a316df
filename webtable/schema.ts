/**
 * FROZEN: test/stored-names.test.ts holds it. Everything in this file is persisted: table, family and column names, and the codes of statuses.
 * A name may be added. To change a name, or the meaning of a name, increase {@link SCHEMA_VERSION}.
 */

/** Written into every new table, and checked when a table is opened. */
export const SCHEMA_VERSION = 8;

/**
 * The tables, their families, and the shape of each family. A store chooses its layout by the shape:
 * `packed`: few small cells that are read together; `record`: the same, and they are written together as one cell on every store, so that two
 * writers never mix in them; `wide`: any number of cells, each written and read alone.
 */
export const TABLES = {
  webpage: { m: 'record', l: 'wide', p: 'packed' },
  content: { c: 'packed' },
  frontier: { f: 'packed' },
  batch: { b: 'packed' },
  host: { h: 'packed' },
  rule: { r: 'packed' },
  meta: { v: 'packed' },
} as const satisfies Record<string, Record<string, FamilyShape>>;

/** How a store keeps the cells of a family; {@link TABLES} has the meaning of each shape. */
export type FamilyShape = 'packed' | 'record' | 'wide';
/** The name of a table. */
export type TableName = keyof typeof TABLES;

/** The status of a page. `retry` exists only between fetch and updatedb. */
export const STATUS_CODES = {
  /** Known and not fetched yet, or failed and to be retried. */
  unfetched: 1,
  /** The last fetch received a body. A selection of rows by `fetched` includes `notmodified`. */
  fetched: 2,
  /** The page does not exist, may not be fetched, or failed too often. It is due again after a long time. */
  gone: 3,
  /** The page redirects temporarily. */
  redir_temp: 4,
  /** The page redirects permanently. */
  redir_perm: 5,
  /** The last fetch failed and may succeed later; lasts only until updatedb. */
  retry: 34,
  /** The last fetch found the page unchanged. */
  notmodified: 38,
} as const;

/** The status of a page, by name. */
export type Status = keyof typeof STATUS_CODES;

/** All statuses, by code. */
export const STATUSES = Object.keys(STATUS_CODES) as readonly Status[];

/** Whether the last fetch of a row with this status was redirected. */
export function isRedirect(status: Status | undefined): boolean {
  return status === 'redir_perm' || status === 'redir_temp';
}

/** Whether a row with this status has a page: the last fetch received a new body, or found the page unchanged. */
export function isPage(status: Status | undefined): boolean {
  return status === 'fetched' || status === 'notmodified';
}

/** Whether a selection by `names` includes this status. The name `fetched` selects every existing page, so it includes `notmodified`. */
export function matchesStatus(names: readonly Status[], status: Status | undefined): boolean {
  if (status === undefined) return false;
  return names.includes(status) || (isPage(status) && names.includes('fetched'));
}

/** Each job sets its mark in the row change that does its work. The value is the batch id (inject: `y`). */
export const MARK_COLUMNS = {
  /** The page is a seed; the value is `y`. */
  inject: 'm:ki',
  /** A batch holds the page. */
  generate: 'm:kg',
  /** The page was fetched in the batch. */
  fetch: 'm:kf',
  /** The page was parsed in the batch. */
  parse: 'm:kp',
  /** The batch in which the page was last fetched; that batch is closed. */
  updatedb: 'm:ku',
  /** The batch with which the page was last written to the search index. */
  index: 'm:kx',
} as const;

/** The name of a mark is the name of the job that sets it. */
export type Mark = keyof typeof MARK_COLUMNS;

/**
 * The column of every field of a page, except marks, inlinks, inlinkCount and content. Columns with {@link TEXT_PREFIX} are not in the row.
 */
export const FIELD_COLUMNS = {
  status: 'm:st',
  dueAt: 'm:ft',
  fetchedAt: 'm:pf',
  fetchInterval: 'm:fi',
  retries: 'm:re',
  modifiedAt: 'm:mt',
  firstSeenAt: 'm:fs',
  changedAt: 'm:ch',
  bytesChangedAt: 'm:by',
  foundAs: 'm:fa',
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
  inlinksFolded: 'm:il',
  sitemap: 'm:sm',
  refusedBy: 'm:rf',
  metadata: 'm:md',
  contentLocation: 'm:co',
  contentVersions: 'm:cv',
  rank: 'm:rk',
  hostRank: 'm:rh',
  duplicateOf: 'm:du',
  duplicateAt: 'm:dt',
  relevant: 'm:fu',
  relevantBonus: 'm:fb',
  rejectedLinks: 'm:cl',
  bodyBytes: 'm:bb',
  fetchMs: 'm:fm',
  digest: 'm:dg',
  changedLinks: 'm:cg',
  logged: 'm:lo',
  textLocation: 'm:ta',
  title: 'p:ti',
  language: 'p:la',
  languageSource: 'p:ls',
  pageMetadata: 'p:me',
  custom: 'p:cu',
  outlinks: 't:o',
  text: 't:tx',
  textRanges: 't:tr',
  headings: 't:hd',
  headers: 't:he',
} as const;

/** The prefix of the columns that are cells of the text record, at `textLocation` in the content store, and not of the row. */
export const TEXT_PREFIX = 't:';

/**
 * The prefix of the columns of inlinks. A column holds the inlinks that one change added. The position of the column follows the prefix.
 */
export const INLINK_CELLS_PREFIX = 'l:b:';

/** The prefix of the columns of rules. The id of the rule follows the prefix. All rules are in one row, so that they change atomically. */
export const RULE_COLUMN_PREFIX = 'r:d:';

/**
 * The columns of the tables other than `webpage`. `v:f` is no longer used: it was the time of the last requests to hosts, which the leases
 * store now.
 */
export const INDEX_COLUMNS = {
  schemaVersion: 'v:n',
  slots: 'v:s',
  tableId: 'v:i',
  consumers: 'v:u',
  consumerRun: 'v:w',
  canonical: 'v:k',
  crawlScope: 'v:c',
  rankRun: 'v:r',
  changeState: 'v:g',
  lease: 'v:l',
  leaseHolder: 'v:h',
  workerReport: 'v:p',
  auditNote: 'v:a',
  auditIgnored: 'v:d',
  watchTarget: 'v:e',
  siteTemplate: 'v:m',
  frontierScore: 'f:s',
  batchHeader: 'b:h',
  batchEntry: 'b:e',
  changeEntry: 'b:c',
  hostRobots: 'h:rb',
  hostSeed: 'h:in',
  hostBackoff: 'h:bo',
  rulesVersion: 'r:v',
  lastRule: 'r:n',
  proposals: 'r:o',
  ruleHistory: 'r:h',
  wwwApplied: 'r:w',
  prefixPass: 'r:p',
  prefixFigures: 'r:s',
} as const;
