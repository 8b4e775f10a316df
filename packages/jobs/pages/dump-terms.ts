import type { Field } from '../../../webtable/index.js';

/** The fields that a dump shows unless others are asked for. */
export const DUMP_FIELDS = [
  'status',
  'dueAt',
  'fetchedAt',
  'fetchInterval',
  'retries',
  'score',
  'distance',
  'signature',
  'contentType',
  'redirectTarget',
  'title',
  'text',
  'outlinks',
  'inlinks',
  'marks',
  'metadata',
  'protocolStatus',
] as const satisfies readonly Field[];

/** The fields that a dump shows only where they are asked for. */
export const FURTHER_FIELDS = [
  'modifiedTime',
  'cash',
  'cashInFlight',
  'distanceInFlight',
  'prevSignature',
  'newSignature',
  'redirectDepth',
  'linkedUpTo',
  'inlinkBound',
  'inlinkCount',
  'rank',
  'hostRank',
  'duplicateOf',
  'fit',
  'fitBonus',
  'cutLinks',
  'bodyBytes',
  'fetchMs',
  'sitemap',
  'refusedBy',
  'parseStatus',
  'language',
  'headings',
  'pageMetadata',
  'custom',
  'headers',
  'contentAt',
  'contentVersions',
  'content',
] as const satisfies readonly Field[];

/** The most pages that can be sorted. */
export const MAX_SORTED = 100_000;
