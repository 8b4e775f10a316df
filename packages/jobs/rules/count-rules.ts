import { chunked, urlOf, type PageRow, type RuleCounts } from '../../../webtable/index.js';
import { ruleOfCause, type RuleSet } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';

/** What counting reads of a row. */
export const COUNTED_FIELDS = ['refusedBy', 'fit', 'cutLinks'] as const;
type Counted = PageRow<(typeof COUNTED_FIELDS)[number]>;

/** Counts what each rule has decided, from rows. */
export interface RuleCounter {
  add(row: Counted, ruleSet: RuleSet): void;
  readonly counts: ReadonlyMap<string, RuleCounts>;
}

export function createRuleCounter(): RuleCounter {
  const counts = new Map<string, { refused: number; fit: number; links: number }>();
  const add = (id: string | undefined, what: keyof RuleCounts, n = 1): void => {
    if (id === undefined) return;
    let found = counts.get(id);
    if (!found) counts.set(id, (found = { refused: 0, fit: 0, links: 0 }));
    found[what] += n;
  };
  return {
    counts,
    add({ key, refusedBy, fit, cutLinks }, ruleSet) {
      if (refusedBy !== undefined) add(ruleOfCause(refusedBy), 'refused');
      if (fit === true) add(ruleSet.usefulFor(urlOf(key))?.id, 'fit');
      for (const [id, links] of Object.entries(cutLinks ?? {})) add(id, 'links', links);
    },
  };
}

/**
 * Counts anew what each rule has decided, from all rows, and stores it in place of the counts that are there; of rules that are not there
 * any more none. A table that never had a rule is not read.
 * @returns of how many rules the counts were others
 */
export async function recountRules(
  crawl: Pick<CrawlContext, 'tables' | 'rules'>,
  aborted: () => boolean,
): Promise<number> {
  const { tables, rules } = crawl;
  const ruleSet = await rules?.current();
  const before = await tables.rules.counts();
  if (!ruleSet || (ruleSet.stored.rules.length === 0 && before.size === 0)) return 0;
  await rules?.flush();
  const counter = createRuleCounter();
  for await (const rows of chunked(tables.pages.scan({ fields: COUNTED_FIELDS }), 1000)) {
    if (aborted()) return 0;
    for (const row of rows) counter.add(row, ruleSet);
  }
  return storeCounts(crawl, ruleSet, counter);
}

/** Stores what was counted from all rows. @returns of how many rules the counts were others */
export async function storeCounts(
  { tables }: Pick<CrawlContext, 'tables'>,
  ruleSet: RuleSet,
  { counts }: RuleCounter,
): Promise<number> {
  const before = await tables.rules.counts();
  const known = new Map([...counts].filter(([id]) => ruleSet.ruleOf(id)));
  const ids = new Set([...before.keys(), ...known.keys()]);
  const differ = [...ids].filter((id) => !isEqual(before.get(id) ?? NOTHING, known.get(id) ?? NOTHING));
  await tables.rules.replaceCounts(known);
  return differ.length;
}

const NOTHING: RuleCounts = { refused: 0, fit: 0, links: 0 };

const isEqual = (a: RuleCounts, b: RuleCounts): boolean =>
  a.refused === b.refused && a.fit === b.fit && a.links === b.links;
