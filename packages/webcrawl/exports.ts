import {
  exportChunks as chunks,
  exportGraph as graph,
  exportKrake as krake,
  exportPages as pages,
  exportWacz as wacz,
  exportWarc as warc,
  type ExportArchiveOptions,
  type ExportChunksOptions,
  type ExportGraphOptions,
  type ExportKrakeOptions,
  type ExportPagesOptions,
} from '../export/index.js';
import type { CrawlContext, Report } from '../jobs/index.js';
import { watched } from './jobs.js';

/** As `exportPages` of packages/export, with others able to see how far it has got. */
export const exportPages: (crawl: CrawlContext, options: ExportPagesOptions) => Promise<Report> = watched(
  'export pages',
  (crawl: CrawlContext, options: ExportPagesOptions) => pages(crawl, options),
);

/** As `exportWarc` of packages/export, with others able to see how far it has got. */
export const exportWarc: (crawl: CrawlContext, options: ExportArchiveOptions) => Promise<Report> = watched(
  'export warc',
  (crawl: CrawlContext, options: ExportArchiveOptions) => warc(crawl, options),
);

/** As `exportWacz` of packages/export, with others able to see how far it has got. */
export const exportWacz: (crawl: CrawlContext, options: ExportArchiveOptions) => Promise<Report> = watched(
  'export wacz',
  (crawl: CrawlContext, options: ExportArchiveOptions) => wacz(crawl, options),
);

/** As `exportKrake` of packages/export, with others able to see how far it has got. */
export const exportKrake: (crawl: CrawlContext, options: ExportKrakeOptions) => Promise<Report> = watched(
  'export krake',
  (crawl: CrawlContext, options: ExportKrakeOptions) => krake(crawl, options),
);

/** As `exportGraph` of packages/export, with others able to see how far it has got. */
export const exportGraph: (crawl: CrawlContext, options: ExportGraphOptions) => Promise<Report> = watched(
  'graph',
  (crawl: CrawlContext, options: ExportGraphOptions) => graph(crawl, options),
);

/** As `exportChunks` of packages/export, with others able to see how far it has got. */
export const exportChunks: (crawl: CrawlContext, options: ExportChunksOptions) => Promise<Report> = watched(
  'export chunks',
  (crawl: CrawlContext, options: ExportChunksOptions) => chunks(crawl, options),
);
