export const OPERATIONS_FILE = 'BENCH_OPERATIONS';
export const OPERATIONS_BUILD = 'BENCH_OPERATIONS_BUILD';

export const OPERATIONS = [
  { key: 'rowChanges', what: 'row changes', about: 'changes of a page in the family `m`, as the store is given them' },
  {
    key: 'rowsRead',
    what: 'rows read',
    about: 'keys of pages that the store is asked for, and rows that a scan of it gives',
  },
  { key: 'frontierPuts', what: 'frontier: puts', about: 'entries of rows' },
  { key: 'frontierDeletes', what: 'frontier: deletes', about: 'entries of rows' },
  { key: 'frontierHeads', what: 'frontier: heads', about: 'puts and deletes of the heads of hosts' },
  { key: 'frontierNotes', what: 'frontier: notes', about: 'puts and deletes of the notes of where a head is' },
  { key: 'frontierOther', what: 'frontier: other', about: 'puts and deletes of what is neither, as fences' },
  { key: 'batchPuts', what: 'batches: puts', about: 'entries and headers' },
  { key: 'batchDeletes', what: 'batches: deletes', about: 'entries and headers' },
  { key: 'linkCells', what: 'link cells', about: 'cells of the family `l` that are put or deleted' },
  { key: 'otherChanges', what: 'other row changes', about: 'of all tables but those above' },
  { key: 'storeWrites', what: 'store: write', about: 'calls of the store' },
  { key: 'storeGets', what: 'store: get', about: 'calls of the store' },
  { key: 'storeScans', what: 'store: scan', about: 'calls of the store' },
  { key: 'levelBatches', what: 'LevelDB: batch', about: 'calls that wait for a thread: writes' },
  { key: 'levelReads', what: 'LevelDB: getMany, get', about: 'calls that wait for a thread: reads' },
  { key: 'levelNexts', what: 'LevelDB: nextv, next', about: 'calls that wait for a thread: steps of iterators' },
  { key: 'levelKeysRead', what: 'LevelDB: keys read', about: 'by getMany and get' },
  {
    key: 'fileCalls',
    what: 'files: write, read, sync',
    about: 'calls of Node’s file handles, which wait for a thread too',
  },
  { key: 'levelBytes', what: 'LevelDB: bytes put', about: 'keys and values, before LevelDB compresses them' },
  { key: 'fileBytes', what: 'files: bytes written', about: 'by Node’s file handles' },
] as const;

export type OperationName = (typeof OPERATIONS)[number]['key'];
export type OperationCounts = Record<OperationName, number>;

export function newCounts(): OperationCounts {
  return Object.fromEntries(OPERATIONS.map(({ key }) => [key, 0])) as OperationCounts;
}

/** Sums that have goals, or that summarise the cost of a page. */
export const SUMS = [
  { what: 'row changes', of: ['rowChanges'] },
  { what: 'reads of rows', of: ['rowsRead'] },
  {
    what: 'frontier operations',
    of: ['frontierPuts', 'frontierDeletes', 'frontierHeads', 'frontierNotes', 'frontierOther'],
  },
  { what: 'batch operations', of: ['batchPuts', 'batchDeletes'] },
  { what: 'LevelDB batches', of: ['levelBatches'] },
  { what: 'asynchronous store calls', of: ['levelBatches', 'levelReads', 'levelNexts', 'fileCalls'] },
  { what: 'bytes written', of: ['levelBytes', 'fileBytes'] },
] as const satisfies readonly { readonly what: string; readonly of: readonly OperationName[] }[];
