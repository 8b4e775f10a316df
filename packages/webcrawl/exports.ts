import {
  exportChunks as chunks,
  exportPages as pages,
  type ExportChunksOptions,
  type ExportPagesOptions,
} from '../export/index.js';
import type { CrawlContext, Report } from '../jobs/index.js';
import { watched } from './jobs.js';

/** As `exportPages` of packages/export, with others able to see how far it has got. */
export const exportPages: (crawl: CrawlContext, options: ExportPagesOptions) => Promise<Report> = watched(
  'export',
  (crawl: CrawlContext, options: ExportPagesOptions) => pages(crawl, options),
);

/** As `exportChunks` of packages/export, with others able to see how far it has got. */
export const exportChunks: (crawl: CrawlContext, options: ExportChunksOptions) => Promise<Report> = watched(
  'export',
  (crawl: CrawlContext, options: ExportChunksOptions) => chunks(crawl, options),
);
