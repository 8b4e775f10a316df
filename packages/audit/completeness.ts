import { safeText, type CrawlContext, type ProtocolStatus } from '../core/index.js';
import type { Scanned } from './collect/scan.js';

export interface Claims {
  /** Every page was read with all of its links, so a page without inlinks is an orphan. */
  readonly isWhole: boolean;
  /** Why pages were not read, with the number of pages and the first of them. Empty: all pages were read. */
  readonly because: readonly string[];
}

export async function completenessOf(
  { tables }: CrawlContext,
  { counts, gaps, seedFailure }: Pick<Scanned, 'counts' | 'gaps' | 'seedFailure'>,
): Promise<Claims> {
  const batches = (await tables.batches.list()).filter(({ state }) => state !== 'updated').length;
  const because = [
    ...(counts.pages === 0 ? [whyNothing(seedFailure)] : []),
    ...gaps.lines(),
    ...(batches > 0 ? [`${batches === 1 ? '1 batch' : `${batches} batches`} under way`] : []),
  ];
  return { isWhole: because.length === 0, because };
}

function whyNothing(failure: ProtocolStatus | undefined): string {
  if (!failure) return 'no page was fetched';
  const { code, http } = failure;
  if (code === 'robots_denied') return 'robots.txt denies the seed';
  return http === undefined ? `the site did not respond (${safeText(code, 40)})` : `the site responded ${http}`;
}
