import type { Rule, RulePoint, Tables } from '../../webtable/index.js';
import type { LiveRules } from './live-rules.js';
import type { Contradiction } from './rule-order.js';

/** A rule with its decisions at the last count of the rows. */
export type ListedRule = Rule & {
  /** Absent: the decisions of this rule were not counted yet. */
  readonly counts?: RulePoint;
};

/** All rules of a table. */
export interface RuleList {
  /** Changes with every edit. Empty: no rule was ever added. */
  readonly version: string;
  /** The rules in order of evaluation. */
  readonly rules: readonly ListedRule[];
  readonly contradictions: readonly Contradiction[];
  /** Rules that are not evaluated because they cannot be used: the reason, by rule id. */
  readonly broken: Readonly<Record<string, string>>;
}

export async function listRules({ tables, rules }: { tables: Tables; rules: LiveRules }): Promise<RuleList> {
  const set = await rules.latest();
  const { version, sorted, broken } = set;
  const counts = await tables.rules.counts();
  const listed: ListedRule[] = [];
  for (const rule of sorted) {
    while (tables.timeSlice.isOver) await tables.timeSlice.next();
    const found = counts.get(rule.id);
    listed.push({ ...rule, ...(found && { counts: found }) });
  }
  return { version, rules: listed, contradictions: await set.contradictions(), broken: Object.fromEntries(broken) };
}
