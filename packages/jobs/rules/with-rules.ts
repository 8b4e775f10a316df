import type { CrawlContext } from '../context.js';

/** What a context with rules is made of. */
export type WithRules = Pick<CrawlContext, 'plugins' | 'rules' | 'ruleSet'>;

/** Of a context that was made here, the one that it was made of. */
const madeOf = new WeakMap<object, WithRules>();
/** Of each set of rules the contexts that were made with it, by what they were made of. */
const known = new WeakMap<object, WeakMap<object, WithRules>>();

/**
 * The context with the rules that hold now, as a plugin at the end of its list. A job asks once for each chunk of its work, so that
 * a change of the rules is taken within seconds, and one piece of work goes by one set. For one context and one set of rules it is
 * always the same object, with the same list; where no rule is active it is the context that was given, with the list that it has.
 */
export async function withRules<C extends WithRules>(given: C): Promise<C> {
  if (!given.rules) return given;
  const crawl = (madeOf.get(given) ?? given) as C;
  const set = await given.rules.current();
  if (!set.plugin) return crawl;
  let made = known.get(set);
  if (!made) known.set(set, (made = new WeakMap()));
  let found = made.get(crawl) as C | undefined;
  if (!found) {
    found = { ...crawl, plugins: set.addTo(crawl.plugins), ruleSet: set };
    made.set(crawl, found);
    madeOf.set(found, crawl);
  }
  return found;
}
