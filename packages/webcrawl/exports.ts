import {
  exportGraph as graph,
  exportPages as pages,
  type ExportGraphOptions,
  type ExportPagesOptions,
} from '../export/index.js';
import type { CrawlContext, Report } from '../jobs/index.js';
import { watched } from './jobs.js';

/** As `exportPages` of packages/export, with others able to see how far it has got. */
export const exportPages: (crawl: CrawlContext, options: ExportPagesOptions) => Promise<Report> = watched(
  'export',
  (crawl: CrawlContext, options: ExportPagesOptions) => pages(crawl, options),
);

/** As `exportGraph` of packages/export, with others able to see how far it has got. */
export const exportGraph: (crawl: CrawlContext, options: ExportGraphOptions) => Promise<Report> = watched(
  'graph',
  (crawl: CrawlContext, options: ExportGraphOptions) => graph(crawl, options),
);
