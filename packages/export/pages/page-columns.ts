import type { Field } from '../../../webtable/index.js';
import { COMPUTED_FIELDS } from './computed-fields.js';
import type { ComputedFieldName } from './page-formats.js';

/** Types of columns, by the names that Parquet has for them; `JSON` is nested and becomes text. */
export type ColumnType = 'STRING' | 'TIMESTAMP' | 'DOUBLE' | 'INT32' | 'INT64' | 'BOOLEAN' | 'BYTE_ARRAY' | 'JSON';

/** The type of each field in a format that has types. Times are ms since the epoch there too, but known as times. */
export const FIELD_TYPES = {
  status: 'STRING',
  dueAt: 'TIMESTAMP',
  fetchedAt: 'TIMESTAMP',
  fetchInterval: 'DOUBLE',
  retries: 'INT32',
  modifiedTime: 'TIMESTAMP',
  score: 'DOUBLE',
  cash: 'DOUBLE',
  cashInFlight: 'DOUBLE',
  distance: 'INT32',
  distanceInFlight: 'DOUBLE',
  signature: 'STRING',
  prevSignature: 'STRING',
  newSignature: 'STRING',
  protocolStatus: 'JSON',
  parseStatus: 'JSON',
  contentType: 'STRING',
  redirectTarget: 'STRING',
  redirectDepth: 'INT32',
  linkedUpTo: 'JSON',
  inlinkBound: 'INT32',
  sitemap: 'BOOLEAN',
  refusedBy: 'STRING',
  metadata: 'JSON',
  outlinks: 'JSON',
  inlinks: 'JSON',
  inlinkCount: 'INT32',
  title: 'STRING',
  text: 'STRING',
  language: 'STRING',
  headings: 'JSON',
  pageMetadata: 'JSON',
  custom: 'JSON',
  headers: 'JSON',
  contentAt: 'JSON',
  contentVersions: 'JSON',
  rank: 'DOUBLE',
  hostRank: 'DOUBLE',
  duplicateOf: 'STRING',
  fit: 'BOOLEAN',
  fitBonus: 'DOUBLE',
  cutLinks: 'JSON',
  bodyBytes: 'INT64',
  fetchMs: 'DOUBLE',
  content: 'BYTE_ARRAY',
  marks: 'JSON',
} as const satisfies Record<Field, ColumnType>;

/** The columns of an export with a table of them: what `dumpPage` makes of a page, whether it has it or not. */
export function columnsOf(fields: readonly string[]): readonly string[] {
  return [...new Set(['key', 'url', 'readableUrl', 'status', ...fields, 'damaged'])];
}

/** The type of a column of {@link columnsOf}. */
export function typeOfColumn(column: string): ColumnType {
  if (Object.hasOwn(FIELD_TYPES, column)) return FIELD_TYPES[column as Field];
  if (Object.hasOwn(COMPUTED_FIELDS, column)) return COMPUTED_FIELDS[column as ComputedFieldName].type;
  return column === 'damaged' ? 'JSON' : 'STRING';
}
