import { formGroups, type GroupOptions, type Groups } from './groups.js';
import type { PageList } from './page-list.js';

/** A host with many near duplicates that look like pages of one template. None of its near duplicates is marked. */
export interface UnmarkedHost {
  readonly host: string;
  /** Number of near duplicates that were found, and number of pages of the host. */
  readonly near: number;
  readonly pages: number;
}

const MAX_NEAR_SHARE = 1 / 5;
/** With fewer, even a small host is marked. */
const MIN_TEMPLATE_DUPLICATES = 10;

/**
 * Forms groups. A host whose share of near duplicates would exceed {@link MAX_NEAR_SHARE} gets no near duplicates.
 * @returns undefined when it was aborted
 */
export async function formSureGroups(
  pages: PageList,
  options: GroupOptions,
): Promise<{ readonly groups: Groups; readonly unmarked: readonly UnmarkedHost[] } | undefined> {
  const isUnmarked = new Uint8Array(pages.hosts);
  const unmarked: UnmarkedHost[] = [];
  for (;;) {
    const isComparable = (page: number): boolean => isUnmarked[pages.hostOf(page)] === 0;
    const groups = await formGroups(pages, { ...options, isComparable });
    if (!groups) return undefined;
    const before = unmarked.length;
    for (const [host, { near, all }] of nearOfHosts(pages, groups).entries()) {
      if (near < MIN_TEMPLATE_DUPLICATES || near <= all * MAX_NEAR_SHARE) continue;
      isUnmarked[host] = 1;
      unmarked.push({ host: pages.nameOfHost(host), near, pages: all });
    }
    if (unmarked.length === before) return { groups, unmarked };
  }
}

function nearOfHosts(pages: PageList, { keptOf }: Groups): { near: number; all: number }[] {
  const hosts = Array.from({ length: pages.hosts }, () => ({ near: 0, all: 0 }));
  for (const [page, kept] of keptOf.entries()) {
    const host = hosts[pages.hostOf(page)]!;
    host.all += 1;
    if (kept !== page && pages.compareSignatures(page, kept) !== 0) host.near += 1;
  }
  return hosts;
}
