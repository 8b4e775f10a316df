export { createRecordSorter, sortRecords, type RecordSorter, type SortOptions } from './record-sorter.js';
export { createPairSorter, type PairSorter } from './pair-sorter.js';
export { removeLeftFolders, withWorkFolder } from './work-folder.js';
export { onDisk } from './on-disk.js';
