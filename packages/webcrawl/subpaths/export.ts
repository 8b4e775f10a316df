/** Parts for programs that read exports: the types of options and rows, names of formats and fields, and a reader of the files of Krake. */
export { CHUNK_WORDS, COMPUTED_FIELD_NAMES, GRAPH_FORMATS, LINK_LISTS, PAGE_FORMATS } from '../names.js';
export { DUMP_FIELDS, FURTHER_FIELDS, MAX_SORTED, SORT_FIELDS } from '../names.js';
export { COMPUTED_FIELDS } from '../../export/markdown/computed-field-table.js';
export { surt } from '../../export/warc/surt.js';
export { openKrake } from '../doors/export.js';
export type * from '../../export/public.js';
