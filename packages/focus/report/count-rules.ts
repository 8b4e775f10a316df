import {
  chunked,
  createTracker,
  NO_WATCH,
  ruleOfCause,
  urlOf,
  type CrawlContext,
  type JobOptions,
  type PageRow,
  type RuleCounts,
} from '../../core/index.js';
import type { RuleSet } from '../../rules/index.js';
import { latestRules } from '../rules/latest-rules.js';

export const COUNTED_FIELDS = ['refusedBy', 'relevant', 'rejectedLinks'] as const;
type Counted = PageRow<(typeof COUNTED_FIELDS)[number]>;

export type CountingCrawl = Pick<CrawlContext, 'tables' | 'settings' | 'clock'>;

export function createRuleCounter(ruleSet: RuleSet) {
  const counts = new Map(ruleSet.stored.rules.map(({ id }) => [id, { refused: 0, relevant: 0, links: 0 }]));
  const add = (id: string | undefined, what: keyof RuleCounts, n = 1): void => {
    const found = id === undefined ? undefined : counts.get(id);
    if (found) found[what] += n;
  };
  return {
    counts: counts as ReadonlyMap<string, RuleCounts>,
    add({ key, refusedBy, relevant, rejectedLinks }: Counted): void {
      if (refusedBy !== undefined) add(ruleOfCause(refusedBy), 'refused');
      if (relevant === true) add(ruleSet.relevantRule(urlOf(key))?.id, 'relevant');
      for (const [id, links] of Object.entries(rejectedLinks ?? {})) add(id, 'links', links);
    },
  };
}

/**
 * Counts the decisions of each rule over all rows, and adds the counts with the time to the history of the rule. The job reads the hot
 * family once. If `signal` aborts, it throws the reason of the signal and stores nothing.
 */
export async function countRules(crawl: CountingCrawl, options: JobOptions = {}): Promise<void> {
  const { tables, clock } = crawl;
  const at = clock();
  const tracker = createTracker({ clock, watch: NO_WATCH }, 'rules list', options);
  options.signal?.throwIfAborted();
  const counter = createRuleCounter(await latestRules(crawl));
  for await (const rows of chunked(tables.pages.scan({ fields: COUNTED_FIELDS }), 1000)) {
    options.signal?.throwIfAborted();
    for (const row of rows) counter.add(row);
    tracker.done(rows.length);
  }
  await tables.rules.noteCounts(counter.counts, at);
}
