import { urlOf, type RuleCounts, type Tables } from '../../webtable/index.js';
import type { RuleSet } from './compile-rules.js';

/** Differences of what rules have decided, by id. */
export type RuleDifferences = Map<string, { refused: number; fit: number; links: number }>;

const CAUSE = /^rule-(\w+)-/;

/** The cause by which generate files a row that a rule refuses, until another version of it holds. */
export function causeOfRule(id: string, version: string): string {
  return `rule-${id}-${version}`;
}

/** The rule for which a row is refused; undefined where it is something else. @param cause of `refusedBy` */
export function ruleOfCause(cause: string): string | undefined {
  return CAUSE.exec(cause)?.[1];
}

/** Adds to `owed` what has changed since it was last taken, of the rows of `tables` and of links cut. */
export function takeDifferences(
  tables: Pick<Tables, 'tally'>,
  ruleSet: RuleSet | undefined,
  links: Map<string, number>,
  owed: RuleDifferences,
): void {
  const add = (id: string | undefined, what: keyof RuleCounts, n: number): void => {
    if (id === undefined || n === 0) return;
    const counts = owed.get(id) ?? { refused: 0, fit: 0, links: 0 };
    owed.set(id, counts);
    counts[what] += n;
  };
  const { refused, fit, links: removed } = tables.tally.take();
  for (const [cause, n] of refused) add(ruleOfCause(cause), 'refused', n);
  for (const [key, n] of fit) if (n !== 0) add(ruleSet?.usefulFor(urlOf(key))?.id, 'fit', n);
  for (const [id, n] of removed) add(id, 'links', n);
  for (const [id, n] of links) add(id, 'links', n);
  links.clear();
}
