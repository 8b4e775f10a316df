import type { Plugin } from '../../plugin-api/index.js';
import {
  createParseThreads,
  type ParseThreadPool,
  type ParseThreads,
  type ParseThreadsOptions,
} from './parse-threads.js';

interface SharedPool {
  readonly threads: ParseThreadPool;
  /** The open crawls that use the threads, by their numbers. */
  readonly crawls: Set<number>;
  last: number;
}

/** The pools of this process, by their options. A pool is created for its first crawl, and removed with its last one. */
const pools = new Map<string, SharedPool>();

/**
 * Returns parse threads that all crawls of this process with the same options share, until the last of these crawls closes them. One thread
 * is enough for many crawls, because all of them also share the main thread, which needs more time for a page.
 * @param plugins the plugins that each thread also has, as objects of this crawl and in the order of the threads
 */
export function shareParseThreads(plugins: readonly Plugin[], options: ParseThreadsOptions): ParseThreads {
  const key = JSON.stringify(options);
  let found = pools.get(key);
  if (!found || found.threads.hasEnded()) {
    found = { threads: createParseThreads(options), crawls: new Set(), last: 0 };
    pools.set(key, found);
  }
  const pool = found;
  const crawl = (pool.last += 1);
  pool.crawls.add(crawl);
  return {
    plugins,
    parse(terms, page) {
      return pool.crawls.has(crawl) ? pool.threads.parse({ ...terms, crawl }, page) : undefined;
    },
    giveBack: (stored) => pool.threads.giveBack(stored),
    async close() {
      if (!pool.crawls.delete(crawl)) return;
      if (pool.crawls.size > 0) return pool.threads.forget(crawl);
      if (pools.get(key) === pool) pools.delete(key);
      await pool.threads.close();
    },
  };
}
