import { CrawlError } from '../../errors/index.js';
import { hostOf } from '../../url/index.js';
import { folderOf, type CrawlScope } from './crawl-scope.js';

/** Folders that a scope may hold: it is kept in one cell, and each parse thread has a copy. */
const MAX_FOLDERS = 10_000;

/** The folders of the seeds, gathered as these are read. */
export interface SeedFolders {
  /** @throws CrawlError USAGE beyond 10,000 folders */
  add(url: string): void;
  readonly folders: CrawlScope['folders'];
}

/** @param isWanted false: nothing is gathered */
export function createSeedFolders(isWanted: boolean): SeedFolders {
  const byHost = new Map<string, Set<string>>();
  let size = 0;
  return {
    add(url) {
      if (!isWanted) return;
      const host = hostOf(url);
      const folder = folderOf(url);
      const folders = byHost.get(host) ?? new Set();
      if (folders.has(folder)) return;
      byHost.set(host, folders.add(folder));
      if (size++ < MAX_FOLDERS) return;
      throw new CrawlError('USAGE', `expected at most ${MAX_FOLDERS} folders of seeds to stay in, found more`, {
        hint: 'with so many seeds, stay on the host, or crawl them in parts',
      });
    },
    get folders() {
      return Object.fromEntries([...byHost].map(([host, folders]) => [host, [...folders]]));
    },
  };
}
