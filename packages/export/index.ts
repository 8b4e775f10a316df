export * from './public.js';
export type { Block, Inline } from './markdown/blocks.js';
export { openOutput } from './target/output-file.js';
export { csvRecord, looksLikeFormula } from './pages/csv.js';
export { loadWorkbook } from './pages/workbook.js';
export {
  writeTarget,
  type Target,
  type TargetOptions,
  type TargetResult,
  type WrittenTarget,
} from './target/target.js';
export { exportPages } from './export-pages.js';
export { exportKrake } from './load-krake.js';
export { exportWacz } from './warc/export-wacz.js';
export { exportWarc } from './warc/export-warc.js';
export { exportGraph } from './export-graph.js';
export { pageView } from './stated/page-view.js';
export { createSites } from './site/sites.js';
export { mainBlocks, readByStoredSite } from './site/stored-site.js';
export { computedOf, needsMainContent, pageDump } from './pages/computed-fields.js';
export { exportChunks } from './export-chunks.js';
export { pageMarkdown } from './page-markdown.js';
