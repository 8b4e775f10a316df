import type { CrawlContext } from '../core/index.js';
import type { Scanned } from './collect/scan.js';

/** Whether an audit may conclude from what it has not found. */
export interface Claims {
  /** Every page was read with all of its links, so a page without inlinks is an orphan. */
  readonly isWhole: boolean;
  /** Short texts on pages that were not read. Empty: all pages were read. */
  readonly because: readonly string[];
}

/** Counts the pages that were not read, by reason. */
export async function completenessOf({ tables }: CrawlContext, { counts }: Scanned): Promise<Claims> {
  const batches = (await tables.batches.list()).filter(({ state }) => state !== 'updated').length;
  const reasons: readonly (readonly [number, string])[] = [
    [counts.pages === 0 ? 1 : 0, 'no page was fetched'],
    [counts.deniedSeeds, 'named as a seed and denied by robots.txt'],
    [counts.unasked, 'known and not fetched yet'],
    [counts.tooFar, 'too far from a seed to be fetched'],
    [counts.failing, 'failed, and will be tried again'],
    [counts.blocked, 'refused to crawlers by their server'],
    [counts.inPart, 'read in part'],
    [counts.manyLinks, 'with at least as many links as db.maxOutlinksPerPage lets a crawl follow'],
    [counts.withoutFacts, 'without facts (parser.audit) and without a stored body'],
    [counts.damaged, 'with damaged rows'],
  ];
  const because = reasons.flatMap(([n, what], i) => {
    if (n === 0) return [];
    return [i === 0 ? what : `${n === 1 ? '1 page' : `${n} pages`} ${what}`];
  });
  if (batches > 0) because.push(`${batches === 1 ? '1 batch' : `${batches} batches`} under way`);
  return { isWhole: because.length === 0, because };
}
