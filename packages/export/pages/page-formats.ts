/** The formats of `exportPages`. */
export const PAGE_FORMATS = ['jsonl', 'csv', 'parquet', 'hosts'] as const;

/** A format of `exportPages`. */
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** Words of a chunk at the most, unless it is said otherwise. */
export const CHUNK_WORDS = 500;

/** The names of the computed fields: what no row holds, and is worked out of one. */
export const COMPUTED_FIELD_NAMES = ['markdown'] as const;

/** The name of a computed field. */
export type ComputedFieldName = (typeof COMPUTED_FIELD_NAMES)[number];
