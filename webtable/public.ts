/** What the author of a store needs: the contract of a store, its tables, and a store in memory to compare with. */
export type * from './store.js';
export { TABLES, type FamilyShape, type TableName } from './schema.js';
export { MemoryStore } from './stores/memory-store.js';
export type {
  Compaction,
  ContentLocation,
  ContentRecord,
  ContentStore,
  MetadataRecord,
  ResponseRecord,
  RevisitRecord,
  StoredContent,
  StoredRecord,
  Truncation,
} from './content/content-store.js';
/** The types of the fields that only the crawler itself uses. */
export type { ChangedLinks, LoggedFailure, LoggedState, PageDigest } from './pages/digest.js';
export type { Mark } from './schema.js';
/** The files of a table. */
export type { Backup } from './stores/level/backup-folder.js';
export type { FileRepair, PartRepair } from './stores/level/repair-files.js';
export type { TablePart } from './stores/level/table-folder.js';
