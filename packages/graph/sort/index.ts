export { createRecordSorter, sortRecords, type RecordSorter, type SortOptions } from './record-sorter.js';
export { createPairSorter, type PairSorter } from './pair-sorter.js';
export { removeLeft, withWorkFolder } from './work-folder.js';
export { onDisk, readFully } from './on-disk.js';
