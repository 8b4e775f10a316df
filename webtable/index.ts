export { type PageScan, WebTable, encodeFields, isBodyLost } from './web-table.js';
export type {
  CustomFields,
  EncodedFields,
  Field,
  Inlink,
  JsonValue,
  Outlink,
  Page,
  PageChange,
  PageRow,
  ParseStatus,
  PlainField,
  ProtocolStatus,
} from './page.js';
export { chunked } from './chunked.js';
export { createGroupWriter, writeEach } from './group-writer.js';
export {
  FIELD_COLUMNS,
  INDEX_COLUMNS,
  MARK_COLUMNS,
  SCHEMA_VERSION,
  STATUSES,
  STATUS_CODES,
  TABLES,
  type Mark,
  type Status,
  type TableName,
} from './schema.js';
export { batchTime, makeBatchId } from './batch-id.js';
export { ALL_SLOTS, partitionOf, slotOf } from './partition.js';
export { domainRanges, hostRange, prefixRange, reversedHostOf, rowKeyOf, urlOf } from './row-key.js';
export {
  FRONTIER_FIELDS,
  allEntries,
  dueEntries,
  enterMissing,
  hasEntries,
  isEntryOf,
  promote,
  refile,
  removeIndexed,
  selectableAt,
  writeIndexed,
  type FrontierClock,
  type FrontierEntry,
  type FrontierRow,
  type IndexedChange,
  type StaleEntry,
} from './frontier.js';
export { countDue } from './frontier-count.js';
export { dueHeads, removeStaleHeads, type DueScore } from './frontier-heads.js';
export {
  allBatchEntries,
  batchEntry,
  batchQueues,
  batchRowKeys,
  clearBatchIndex,
  deleteBatch,
  findBatch,
  getBatch,
  hasBatchEntries,
  hostRowKeys,
  listBatches,
  putBatch,
  queueEntry,
  removeEntries,
  writeBatchIndex,
  type BatchHeader,
  type BatchState,
} from './batches.js';
export type { Column, ColumnSelector, KeyRange, RowChange, ScanOptions, Store, StoredRow } from './store.js';
export { MemoryStore } from './memory-store.js';
export { LevelStore, type LevelStoreOptions } from './level-store.js';
export type { LevelDatabase } from './level-database.js';
export { openLevelStore } from './open-level-store.js';
export { repairLevelFiles, type DatabaseRepair, type FileRepair } from './stores/level/repair-files.js';
export type { DatabaseName } from './stores/level/table-folder.js';
export { LIVE_FOLDER } from './live/address.js';
export { type Holder } from './live/holder.js';
export { SharedStore, openSharedStore, type SharedStoreOptions } from './live/shared-store.js';
