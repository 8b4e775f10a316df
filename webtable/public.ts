/** What the library gives to its users. */
export * from './tables/open-tables.js';
export type { MigratedVersions, MigrationProgress } from './migrations/migrations.js';
export type { ChangeRows, Decide, RowToChange } from './tables/change-rows.js';
export type { PageScan, Pages } from './pages/pages.js';
export type * from './pages/page.js';
export type { InlinkCell, StoredInlink, StoredInlinks } from './pages/inlink-cell.js';
export type { ChangedLinks, LoggedFailure, LoggedState, PageDigest } from './pages/digest.js';
export { STATUSES, type Mark, type Status, type TableName } from './schema.js';
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
export type { EntrySource, InboxEntry, Inboxes, NewInboxEntry } from './tables/inboxes.js';
export type { CanonicalLink, Canonicals } from './tables/canonicals.js';
export type { ChangeLog } from './changes/change-log.js';
export { horizonOf, type ChangeMark, type LoggedBatch, type LogState } from './changes/log-state.js';
export { CHANGE_KINDS, type ChangeKind } from './changes/change-kinds.js';
export {
  cursorOfTime,
  isCursor,
  timeOfCursor,
  type ChangeSide,
  type LogEntry,
  type LoggedBaseline,
  type LoggedChange,
  type LoggedHost,
  type LogItem,
} from './changes/logged-changes.js';
export type { BackoffRecord, Hosts } from './tables/hosts.js';
export type { PrefixFigures, PrefixPass, Prefixes, StoredPrefix, StoredStatistics } from './tables/prefixes.js';
export type { RuleCounts, RulePoint } from './tables/rule-counts.js';
export type { SampledPage, SiteTemplates, StoredSite } from './tables/site-templates.js';
export { LAST_MOMENT } from './tables/moments.js';
export type {
  AnyRule,
  Rule,
  RuleEdit,
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
export type { Asked, HolderRow, Idle, LeaseTask } from './leases/lease-rows.js';
export type { Audits } from './tables/audits.js';
export type { Watches } from './tables/watches.js';
export type { Runs } from './tables/runs.js';
export type {
  Compaction,
  ContentLocation,
  ContentRecord,
  ContentStore,
  ResponseRecord,
  RevisitRecord,
  StoredContent,
  StoredRecord,
  Truncation,
} from './content/content-store.js';
export type * from './store.js';
export { MemoryStore } from './stores/memory-store.js';
export * from './stores/level/level-store.js';
export type { LevelDatabase } from './stores/level/database.js';
export { openLevelStore } from './stores/level/open-level-store.js';
export type { Backup } from './stores/level/backup-folder.js';
export type { FileRepair, PartRepair } from './stores/level/repair-files.js';
export type { TablePart } from './stores/level/table-folder.js';
export type { TableOwner } from './live/table-owner.js';
