export { openOutput, type OutputFile } from './target/output-file.js';
export { csvRecord, looksLikeFormula } from './pages/csv.js';
export {
  writeTarget,
  type Target,
  type TargetOptions,
  type TargetResult,
  type Totals,
  type WrittenTarget,
} from './target/target.js';
export type { Checkpoint, WholePart } from './target/journal.js';
export type { Part } from './target/part-file.js';
export { exportPages, type ExportPagesOptions } from './export-pages.js';
export {
  CHUNK_WORDS,
  COMPUTED_FIELD_NAMES,
  PAGE_FORMATS,
  type ComputedFieldName,
  type PageFormat,
} from './pages/page-formats.js';
export { runExport, type ExportKind, type ExportOptions } from './target/run-export.js';
export { exportKrake, type ExportKrakeOptions } from './krake/export-krake.js';
export { openKrake, type Krake } from './krake/open-krake.js';
export { KRAKE_FILES, contentRecord, krakeKey, offsetRecord, type KrakeLinks } from './krake/formats.js';
export { surt } from './warc/surt.js';
export { exportWacz } from './warc/export-wacz.js';
export { exportWarc, type ExportArchiveOptions } from './warc/export-warc.js';
export type { ExportSelection } from './pages/selected-rows.js';
export { exportGraph, type ExportGraphOptions } from './export-graph.js';
export { GRAPH_FORMATS, type GraphFormat } from './graph/graph-formats.js';
export {
  COMPUTED_FIELDS,
  pageDump,
  type ComputedField,
  type PageDump,
  type PageField,
} from './pages/computed-fields.js';
export { exportChunks, type ExportChunksOptions } from './export-chunks.js';
export type { ColumnType } from './pages/page-columns.js';
