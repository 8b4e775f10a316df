import { createGroupWriter, type PageChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import { checkLeases } from '../shards/job-slots.js';
import type { SharedFetch } from './shared-fetch.js';

/** Stores pages in groups. */
export function createStoreOfPages(crawl: JobRun): SharedFetch['store'] {
  return createGroupWriter<PageChange>(async (changes) => {
    await checkLeases(crawl);
    await crawl.tables.writeFields(changes);
  });
}
