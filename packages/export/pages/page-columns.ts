import type { PublicField } from '../../answers/index.js';
import { COMPUTED_FIELDS } from '../markdown/computed-field-table.js';
import type { ComputedFieldName } from './page-formats.js';

/** Types of columns, by their names in Parquet. `JSON` is a nested value, written as text. */
export type ColumnType = 'STRING' | 'TIMESTAMP' | 'DOUBLE' | 'INT32' | 'INT64' | 'BOOLEAN' | 'BYTE_ARRAY' | 'JSON';

/** The type of each field in a format with types. Times have the type TIMESTAMP, but their values here are ms since the epoch. */
const FIELD_TYPES = {
  status: 'STRING',
  dueAt: 'TIMESTAMP',
  fetchedAt: 'TIMESTAMP',
  fetchInterval: 'DOUBLE',
  retries: 'INT32',
  modifiedAt: 'TIMESTAMP',
  firstSeenAt: 'TIMESTAMP',
  changedAt: 'TIMESTAMP',
  bytesChangedAt: 'TIMESTAMP',
  score: 'DOUBLE',
  cash: 'DOUBLE',
  distance: 'INT32',
  signature: 'STRING',
  protocolStatus: 'JSON',
  parseStatus: 'JSON',
  contentType: 'STRING',
  redirectTarget: 'STRING',
  redirectDepth: 'INT32',
  sitemap: 'BOOLEAN',
  metadata: 'JSON',
  outlinks: 'JSON',
  inlinks: 'JSON',
  inlinkCount: 'INT32',
  title: 'STRING',
  text: 'STRING',
  textRanges: 'JSON',
  language: 'STRING',
  languageSource: 'STRING',
  headings: 'JSON',
  pageMetadata: 'JSON',
  custom: 'JSON',
  headers: 'JSON',
  rank: 'DOUBLE',
  hostRank: 'DOUBLE',
  duplicateOf: 'STRING',
  relevant: 'BOOLEAN',
  rejectedLinks: 'JSON',
  bodyBytes: 'INT64',
  fetchMs: 'DOUBLE',
  content: 'BYTE_ARRAY',
  marks: 'JSON',
} as const satisfies Record<PublicField, ColumnType>;

export interface TypedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export function columnsOf(fields: readonly string[]): readonly string[] {
  return [...new Set(['key', 'url', 'readableUrl', 'status', ...fields, 'damaged'])];
}

export function typeOfColumn(column: string): ColumnType {
  if (Object.hasOwn(FIELD_TYPES, column)) return FIELD_TYPES[column as PublicField];
  if (Object.hasOwn(COMPUTED_FIELDS, column)) return COMPUTED_FIELDS[column as ComputedFieldName].type;
  if (column === 'http') return 'INT32';
  return column === 'damaged' ? 'JSON' : 'STRING';
}
