import { figures, safeText } from '../../core/index.js';

/** Why a page was not read, or only in part. Each text follows a number of pages. */
const REASONS = {
  deniedSeeds: 'named as a seed and denied by robots.txt',
  notFetched: 'known and not fetched yet',
  tooFar: 'too far from a seed to be fetched (--depth, generate.maxDistance)',
  failing: 'failed, and will be retried',
  blocked: 'refused to crawlers by the server (--exclude leaves pages out)',
  bodyCut: 'read in part, because the body is longer than http.contentLimit or the connection broke',
  tooLarge: 'read in part, because of too many elements, ids or links',
  manyLinks: 'with at least as many links as db.maxOutlinksPerPage lets a crawl follow',
  withoutFacts: 'without facts (parser.audit) and without a stored body',
  damaged: 'with damaged rows',
} as const;

export type GapReason = keyof typeof REASONS;

const MAX_NAMED_PAGES = 3;

export type Gaps = ReturnType<typeof createGaps>;

export function createGaps() {
  const found = new Map<GapReason, { count: number; urls: string[] }>();
  return {
    add(reason: GapReason, url: string): void {
      const gap = found.get(reason) ?? { count: 0, urls: [] };
      gap.count += 1;
      if (gap.urls.length < MAX_NAMED_PAGES) gap.urls.push(url);
      found.set(reason, gap);
    },
    count: (reason: GapReason): number => found.get(reason)?.count ?? 0,
    lines(): string[] {
      return (Object.keys(REASONS) as GapReason[]).flatMap((reason) => {
        const gap = found.get(reason);
        if (!gap) return [];
        const more = gap.count > gap.urls.length ? ', …' : '';
        const named = gap.urls.map((url) => safeText(url, 200)).join(', ');
        return [`${figures.quantity(gap.count, 'page')} ${REASONS[reason]}: ${named}${more}`];
      });
    },
  };
}
