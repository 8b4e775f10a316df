export { createPairSorter } from './sort/pair-sorter.js';
export { createRecordSorter, sortRecords, type RecordSorter, type SortOptions } from './sort/record-sorter.js';
export { createKeyFile, readKeys } from './key-file.js';
export { NONE, createKeyJoin, type KeyJoin } from './key-join.js';
export { growingArray } from './growing-array.js';
export { onDisk, readFully } from './on-disk.js';
export { removeLeft, withWorkFolder } from './work-folder.js';
