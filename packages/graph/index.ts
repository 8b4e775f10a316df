export { createRecordSorter, sortRecords, type RecordSorter, type SortOptions } from './sort/record-sorter.js';
export { removeLeftFolders, withWorkFolder } from './sort/work-folder.js';
export { onDisk } from './sort/on-disk.js';
