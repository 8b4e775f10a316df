import { crawl, fetch, generate, inject, parse, remove, repair, updatedb } from '../jobs/index.js';

/** The jobs, each `(crawl, options) => Promise<Report>`. */
export const jobs = { inject, generate, fetch, parse, updatedb, crawl, repair, remove } as const;
