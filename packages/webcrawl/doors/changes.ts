import type { CrawlContext } from '../../jobs/index.js';
import type { Changes, ChangesOptions } from '../../changes/index.js';
import type { SendChangesOptions, SentChanges } from '../../watch/index.js';
import { late } from '../late.js';
import { checks } from '../options/job-options.js';

export { CHANGE_KINDS } from '../names.js';
export type * from '../../changes/public.js';
export type * from '../../watch/public.js';

export const mark = late(async () => (await import('../../changes/index.js')).mark);
export const marks = late(async () => (await import('../../changes/index.js')).marks);
export const unmark = late(async () => (await import('../../changes/index.js')).unmark);

export const changeTargets = late(async () => (await import('../../watch/index.js')).changeTargets);
export const removeChangeTarget = late(async () => (await import('../../watch/index.js')).removeChangeTarget);

export async function sendChanges(crawl: CrawlContext, options: SendChangesOptions): Promise<SentChanges> {
  checks.sendChanges(options);
  const { sendChanges: send } = await import('../../watch/index.js');
  return send(crawl, options);
}

/** See `readChanges` of packages/changes. @throws CrawlError USAGE for options that are wrong */
export function changes(crawl: CrawlContext, options: ChangesOptions = {}): Changes {
  checks.changes(options);
  const opened = import('../../changes/index.js').then(({ readChanges }) => readChanges(crawl, options));
  return {
    async *[Symbol.asyncIterator]() {
      yield* await opened;
    },
    summary: async () => (await opened).summary(),
    begin: async () => (await opened).begin(),
    next: async () => (await opened).next(),
  };
}
