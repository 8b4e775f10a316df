/** The formats of `exportPages`. */
export const PAGE_FORMATS = ['jsonl', 'csv', 'xlsx', 'parquet', 'hosts', 'markdown'] as const;

/** A format of `exportPages`. */
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** Default for the maximum number of words in a chunk. */
export const CHUNK_WORDS = 500;

/** The names of the computed fields, which are computed from a row and not stored. */
export const COMPUTED_FIELD_NAMES = [
  'jsonLd',
  'microdata',
  'openGraph',
  'author',
  'publishedAt',
  'publishedDay',
  'statedModifiedAt',
  'image',
  'siteName',
  'canonical',
  'h1',
  'hreflang',
  'feeds',
  'mainText',
  'markdown',
] as const;

/** The name of a computed field. */
export type ComputedFieldName = (typeof COMPUTED_FIELD_NAMES)[number];

/** The fields that `each` splits into one line for each link. */
export const LINK_LISTS = ['inlinks', 'outlinks'] as const;

/** The name of a list of links. */
export type LinkList = (typeof LINK_LISTS)[number];
