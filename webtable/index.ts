export * from './public.js';
export { decodeFields, encodeFields } from './pages/pages.js';
export { bodyGroups, isBodyLost } from './pages/page-bodies.js';
export { makePrivateFolder } from './private-folder.js';
export { chunked } from './pages/chunked.js';
export { createGroupWriter, writeEach } from './pages/group-writer.js';
export {
  FIELD_COLUMNS,
  MARK_COLUMNS,
  STATUS_CODES,
  TABLES,
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
export type { VersionedChange } from './write-unchanged.js';
export { damagedCells, mergePacked, readerOf, type PackedReader } from './packed-cells.js';
