export * from './public.js';
export * from './tables/open-tables.js';
export type { MigratedVersions, MigrationProgress } from './migrations/migrations.js';
export { withoutBatch, type Decide, type RowToChange } from './tables/change-rows.js';
export type { Pages } from './pages/pages.js';
export type * from './pages/page.js';
export type { InlinkCell, StoredInlink } from './pages/inlink-cell.js';
export { STATUSES, type Status } from './schema.js';
export { makeBatchId } from './keys/batch-id.js';
export type { Slots } from './keys/partition.js';
export type { WorkerRow, Workers } from './leases/workers.js';
export { parseShard, shardText, slotsOfShard, type Shard } from './leases/shard.js';
export type { HostKey } from './keys/host-key.js';
export { rowKeyOf, urlOf } from './keys/row-key.js';
export type { Frontier } from './frontier/frontier.js';
export type { FrontierEntry } from './frontier/frontier-entries.js';
export type { FrontierField } from './frontier/frontier-rows.js';
export type { BatchEntry } from './batches/batch-entries.js';
export type { BatchHeader, BatchState, ChunkSize } from './batches/batch-headers.js';
export type { Batches } from './batches/batches.js';
export type { EntrySource, InboxEntry, NewInboxEntry } from './tables/inboxes.js';
export { horizonOf, type LoggedBatch, type LogState } from './changes/log-state.js';
export { CHANGE_KINDS, type ChangeKind } from './changes/change-kinds.js';
export {
  cursorOfTime,
  isCursor,
  timeOfCursor,
  type ChangeSide,
  type LogEntry,
  type LoggedChange,
  type LoggedHost,
  type LogItem,
} from './changes/logged-changes.js';
export type { BackoffRecord, Hosts } from './tables/hosts.js';
export type { PrefixFigures, PrefixPass, Prefixes, StoredPrefix } from './tables/prefixes.js';
export type { RuleCounts, RulePoint } from './tables/rule-counts.js';
export type { SampledPage, StoredSite } from './tables/site-templates.js';
export { LAST_MOMENT } from './tables/moments.js';
export type {
  AnyRule,
  Rule,
  RuleKind,
  RulePattern,
  Rules,
  RuleScope,
  StoredRules,
  UrlRule,
  WwwRule,
} from './tables/rules.js';
export type { ProposedRule, Proposals, StoredProposal, StoredProposals } from './tables/proposals.js';
export type { Exclusive, TimeSlice } from '../packages/util/index.js';
export type { HeldLeases, LeaseInfo, Leases, TakeOptions } from './leases/leases.js';
export type { LeaseHolderInfo } from './leases/other-holders.js';
export type { Asked, Idle } from './leases/lease-rows.js';
export type { Audits } from './tables/audits.js';
export type { Watches } from './tables/watches.js';
export type { Runs } from './tables/runs.js';
export * from './stores/level/level-store.js';
export { openLevelStore } from './stores/level/open-level-store.js';
export type { TableOwner } from './live/table-owner.js';
export { CellBuffer } from './pages/cell-buffer.js';
export { EncodedFields, encodeFields, type PackedFields } from './pages/encoded-fields.js';
export { isBodyLost, isRecordLost, recordGroups } from './pages/page-records.js';
export { makePrivateFolder } from './private-folder.js';
export { chunked } from './pages/chunked.js';
export { createGroupWriter, writeEach } from './pages/group-writer.js';
export {
  FIELD_COLUMNS,
  MARK_COLUMNS,
  STATUS_CODES,
  isPage,
  isRedirect,
  matchesStatus,
  INDEX_COLUMNS,
} from './schema.js';
export { batchTime } from './keys/batch-id.js';
export { DEFAULT_SLOTS, partitionOf, slotsOf } from './keys/partition.js';
export { WHOLE } from './leases/shard.js';
export { hostKeyOf, hostKeyOfRow, hostOfKey, rowsOfHost } from './keys/host-key.js';
export { domainRanges, hostRange, prefixRange, tryRowKeyOf } from './keys/row-key.js';
export { FRONTIER_FIELDS, isHeld } from './frontier/frontier-rows.js';
export type { HostScore } from './frontier/frontier-heads.js';
export { updatedHeader } from './batches/batch-headers.js';
export type { BatchQueue } from './batches/batch-entries.js';
export type { SeedReach } from './tables/hosts.js';
export { createPrefixPacker } from './tables/packed-prefixes.js';
export { rangeOfSite, sitesOfPage } from './tables/site-templates.js';
export { numberOfRule } from './tables/rules.js';
export { createLeases } from './leases/leases.js';
export { HELD_MS, LEASE_MS, type LeaseTiming } from './leases/lease-timing.js';
export type { RankedLevel } from './tables/runs.js';
export { isSameLocation } from './content/content-store.js';
export { readRecord } from './content/warc-reader.js';
export { recordOf, sha1, warcRecord, warcinfoRecord } from './content/warc-record.js';
export { httpHead } from './content/http-head.js';
export { SegmentFolder, type SegmentFolderOptions } from './content/segment-folder.js';
export { contentOfTable } from './stores/level/open-level-store.js';
export { writeBackup } from './stores/level/backup-folder.js';
export { repairLevelFiles } from './stores/level/repair-files.js';
export type { SharedStoreOptions } from './live/table-access.js';
export { SharedStore, openSharedStore } from './live/shared-store.js';
export { splitColumn, parseSelectors } from './selectors.js';
export { checkChanges, checkTable } from './check-changes.js';
export { RENAMED_CODES, RENAMED_FIELDS, RENAMED_KINDS } from './migrations/renamed-names.js';
export { markOf } from './changes/log-state.js';
export { damagedCells, mergePacked, readerOf, type PackedReader } from './packed-cells.js';
