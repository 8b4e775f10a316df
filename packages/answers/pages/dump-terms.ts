import type { Field, Page } from '../../core/index.js';

/** The fields that only the crawler itself uses. No command shows them, and no function of the library returns them. */
export const INTERNAL_FIELDS = [
  'foundAs',
  'cashInFlight',
  'distanceInFlight',
  'prevSignature',
  'newSignature',
  'linkedUpTo',
  'inlinkBound',
  'inlinksFolded',
  'refusedBy',
  'relevantBonus',
  'digest',
  'changedLinks',
  'logged',
  'contentLocation',
  'textLocation',
  'contentVersions',
  'duplicateAt',
] as const satisfies readonly Field[];

/** A field of a page that the library and the command show. */
export type PublicField = Exclude<keyof Page, (typeof INTERNAL_FIELDS)[number]>;

/** The fields that a dump shows by default. */
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
] as const satisfies readonly PublicField[];

/** The fields that a dump shows only on request. */
export const ADDITIONAL_FIELDS = [
  'modifiedAt',
  'firstSeenAt',
  'changedAt',
  'bytesChangedAt',
  'cash',
  'redirectDepth',
  'inlinkCount',
  'rank',
  'hostRank',
  'duplicateOf',
  'relevant',
  'rejectedLinks',
  'bodyBytes',
  'fetchMs',
  'sitemap',
  'parseStatus',
  'language',
  'languageSource',
  'headings',
  'textRanges',
  'pageMetadata',
  'custom',
  'headers',
  'content',
] as const satisfies readonly PublicField[];

/** The fields by which pages can be sorted. The values of these fields are numbers, times or texts. */
export const SORT_FIELDS = [
  'score',
  'rank',
  'hostRank',
  'distance',
  'fetchMs',
  'bodyBytes',
  'inlinkCount',
  'retries',
  'redirectDepth',
  'fetchInterval',
  'fetchedAt',
  'modifiedAt',
  'firstSeenAt',
  'changedAt',
  'bytesChangedAt',
  'dueAt',
  'title',
  'language',
  'contentType',
] as const satisfies readonly PublicField[];

/** A field by which pages can be sorted. */
export type SortField = (typeof SORT_FIELDS)[number];

/** The maximum number of pages that can be sorted. */
export const MAX_SORTED = 100_000;

/**
 * An order of pages: a field, or a field with `:asc` or `:desc`, which set the direction. By default the greatest number and the latest
 * time come first, and texts are in alphabetical order.
 */
export type SortOrder = SortField | `${SortField}:${'asc' | 'desc'}`;

export interface ParsedOrder {
  readonly field: SortField;
  /** Absent: the default direction of the field. */
  readonly direction?: 'asc' | 'desc';
}

export function parseOrder(text: string): ParsedOrder | undefined {
  const [name, direction, ...rest] = text.split(':');
  const field = SORT_FIELDS.find((each) => each === name);
  if (!field || rest.length > 0) return undefined;
  if (direction === undefined) return { field };
  return direction === 'asc' || direction === 'desc' ? { field, direction } : undefined;
}
