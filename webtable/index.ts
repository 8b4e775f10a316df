export { openTables, type Tables } from './tables/open-tables.js';
export type { ChangeRows, Decide, RowToChange } from './tables/change-rows.js';
export { encodeFields, type PageScan, type Pages } from './pages/pages.js';
export { bodyGroups, isBodyLost } from './pages/page-bodies.js';
export { after as keyAfter } from './scan-steps.js';
export { makePrivateFolder } from './private-folder.js';
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
} from './pages/page.js';
export { chunked } from './pages/chunked.js';
export { createGroupWriter, writeEach } from './pages/group-writer.js';
export {
  FIELD_COLUMNS,
  MARK_COLUMNS,
  SCHEMA_VERSION,
  STATUSES,
  STATUS_CODES,
  TABLES,
  isRedirect,
  type Mark,
  type Status,
  type TableName,
} from './schema.js';
export { batchTime, makeBatchId } from './keys/batch-id.js';
export { DEFAULT_SLOTS, partitionOf, slotsOf, type Slots } from './keys/partition.js';
export type { WorkerRow, Workers } from './leases/workers.js';
export { WHOLE, parseShard, shardText, slotsOfShard, type Shard } from './leases/shard.js';
export { hostKeyOf, hostKeyOfRow, hostOfKey, rowsOfHost, type HostKey } from './keys/host-key.js';
export { domainRanges, hostRange, prefixRange, rowKeyOf, urlOf } from './keys/row-key.js';
export type { Frontier, FrontierEntry, StaleEntry } from './tables/frontier.js';
export { FRONTIER_FIELDS, isHeld, type FrontierField, type FrontierRow } from './tables/frontier-rows.js';
export type { HostScore } from './tables/frontier-heads.js';
export type { BatchEntry, BatchHeader, BatchQueue, BatchState, Batches } from './batches/batches.js';
export { isFetched, type BatchStep, type Progress, type SlotProgress } from './batches/batch-progress.js';
export type { CanonicalLink, Canonicals } from './tables/canonicals.js';
export type { KeySplits } from './tables/key-splits.js';
export type { BackoffRecord, HostLeads, Hosts, Led, SeedReach, StoredRobots } from './tables/hosts.js';
export type { PrefixFigures, PrefixPass, Prefixes, StoredPrefix } from './tables/prefixes.js';
export type { RowTally } from './tables/row-tally.js';
export type { RulePoint } from './tables/rule-history.js';
export {
  LAST_MOMENT,
  numberOfRule,
  type AnyRule,
  type Rule,
  type RuleCounts,
  type RuleEdit,
  type RuleKind,
  type RulePattern,
  type Rules,
  type RuleScope,
  type StoredRules,
  type UrlRule,
  type WwwRule,
} from './tables/rules.js';
export type { ProposedRule, Proposals, StoredProposal, StoredProposals } from './tables/proposals.js';
export type { EventLoopTurns } from './stores/event-loop-turns.js';
export type { Exclusive } from './stores/locks.js';
export { createLeases, type HeldLeases, type LeaseInfo, type Leases, type TakeOptions } from './leases/leases.js';
export { type LeaseHolderInfo } from './leases/other-holders.js';
export type { Asked, HolderRow, LeaseTask } from './leases/lease-rows.js';
export { HELD_MS, LEASE_MS, RENEW_MS, type LeaseTiming } from './leases/lease-timing.js';
export type { RankedLevel, Runs } from './tables/runs.js';
export {
  isSamePlace,
  type Compaction,
  type ContentLocation,
  type ContentRecord,
  type ContentStore,
  type ResponseRecord,
  type RevisitRecord,
  type StoredContent,
  type StoredRecord,
  type Truncation,
} from './content/content-store.js';
export { readRecord } from './content/warc-reader.js';
export { recordOf, sha1, warcRecord, warcinfoRecord, type Referred, type WarcHeader } from './content/warc-record.js';
export { httpHead } from './content/http-head.js';
export { SegmentFolder, type SegmentFolderOptions } from './content/segment-folder.js';
export type { Column, ColumnSelector, KeyRange, RowChange, ScanOptions, Store, StoredRow } from './store.js';
export { MemoryStore } from './stores/memory-store.js';
export { LevelStore, type LevelStoreOptions } from './stores/level/level-store.js';
export type { LevelDatabase } from './stores/level/database.js';
export { contentOfTable, openLevelStore } from './stores/level/open-level-store.js';
export {
  createHBaseTables,
  isOnHBase,
  openHBaseStore,
  type CreatedTables,
  type CreateTablesOptions,
  type HBaseStore,
  type OpenHBaseOptions,
} from './stores/on-hbase.js';
export { repairLevelFiles, type FileRepair, type PartRepair } from './stores/level/repair-files.js';
export type { TablePart } from './stores/level/table-folder.js';
export { LIVE_FOLDER } from './live/address.js';
export { type Holder } from './live/holder.js';
export type { SharedStoreOptions } from './live/find-place.js';
export { SharedStore, openSharedStore } from './live/shared-store.js';
