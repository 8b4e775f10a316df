import type { CrawlContext } from '../context.js';

/** The parts of a context with rules. */
export type WithRules = Pick<CrawlContext, 'plugins' | 'rules' | 'ruleSet'>;

/** The original context of each context that was created here. */
const madeOf = new WeakMap<object, WithRules>();
/** The contexts that were created here: for each set of rules, a map from the original context to the created context. */
const known = new WeakMap<object, WeakMap<object, WithRules>>();

/**
 * Returns the context with the rules that are in force now. The rules become the last plugin in the list of plugins. A job calls
 * `withRules` once for each chunk of its work. Therefore a change of the rules takes effect within seconds, and each chunk uses one set of
 * rules. The same context and the same set of rules give the same object with the same list. If no rule is active, the given context is
 * returned.
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
