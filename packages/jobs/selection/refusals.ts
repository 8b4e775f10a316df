import { createHash } from 'node:crypto';
import { STATUSES, matchesStatus, type PageRow } from '../../../webtable/index.js';
import type { CounterName } from '../reporting/counters.js';
import type { Tracker } from '../reporting/tracker.js';
import type { ScopedCrawl } from '../context.js';
import type { RulesInForce } from '../rules/rules-now.js';
import { refusalOf, type REFUSAL_FIELDS } from './refusal.js';

/** Decides which rows generate refuses, and under which cause they are filed. */
export type Refusals = ReturnType<typeof createRefusals>;

/** @param filter false: URL filters and the patterns of the scope are not checked */
export function createRefusals(crawl: Pick<ScopedCrawl, 'settings' | 'scope'>, rules: RulesInForce, filter: boolean) {
  const { restrictStatus, maxDistance } = crawl.settings.generate;
  const { include, exclude } = crawl.scope.scope;
  const causes = new Map<string, string>([
    [
      'status',
      causeOf(
        'status',
        STATUSES.filter((status) => matchesStatus(restrictStatus, status)),
      ),
    ],
    ['distance', `distance-${maxDistance}`],
  ]);
  const ofRules = new Map<string, ReadonlyMap<string, string>>();
  if (filter) {
    causes.set('excluded', causeOf('excluded', [include, exclude]));
    for (const { name, filterUrl, version, ruleVersions } of rules.plugins) {
      if (!filterUrl) continue;
      if (version !== undefined) causes.set(`rejected_${name}`, causeOf('rejected', [name, version]));
      if (ruleVersions) ofRules.set(`rejected_${name}`, ruleCauses(ruleVersions));
    }
  }
  const reasons = new Map(Array.from(causes, ([reason, cause]) => [cause, reason as CounterName]));
  for (const [reason, byRule] of ofRules)
    for (const cause of byRule.values()) reasons.set(cause, reason as CounterName);
  return {
    /** Returns the counter for rows that were refused for a cause. Returns undefined if the cause is no longer valid. */
    reasonOf: (cause: string): CounterName | undefined => reasons.get(cause),
    /** All causes that are valid now. */
    causes: new Set(reasons.keys()),
    /**
     * Returns why a row is refused. Returns undefined if it is not refused. `cause` names the filter or rule that refuses the row, with its
     * present version. The row is filed under this cause, and generate does not read it again until the cause has changed. `cause` is
     * absent if such a change cannot be detected.
     */
    of(
      row: PageRow<(typeof REFUSAL_FIELDS)[number]>,
    ): { readonly reason: CounterName; readonly cause: string | undefined } | undefined {
      const refusal = refusalOf(crawl, rules, row, filter);
      if (!refusal) return undefined;
      const { reason, rule } = refusal;
      return { reason, cause: (rule === undefined ? undefined : ofRules.get(reason)?.get(rule)) ?? causes.get(reason) };
    },
  };
}

/** Returns the cause of each rule of a filter, by the name of the rule. */
function ruleCauses(versions: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(versions, ([rule, version]) => [rule, causeOfRule(rule, version)]));
}

/** Returns the cause under which generate files a row that a rule of the table rejects. Each version of a rule has its own cause. */
export const causeOfRule = (id: string, version: string): string => `rule-${id}-${version}`;

/**
 * Returns the id of the rule that rejects a row. Returns undefined if the cause is not a rule.
 * @param cause the value of the row's field `refusedBy`
 */
export function ruleOfCause(cause: string): string | undefined {
  return /^rule-(\w+)-/.exec(cause)?.[1];
}

/**
 * Removes the refusals for causes that are no longer valid, so that generate reconsiders these rows.
 * @param slots the slots of the hosts of the rows; undefined: all slots
 */
export async function releaseRefused(
  { tables, clock }: Pick<ScopedCrawl, 'tables' | 'clock'>,
  { causes }: Refusals,
  tracker: Pick<Tracker, 'aborted'>,
  onStep: () => Promise<void>,
  slots: Iterable<string> | undefined,
): Promise<void> {
  for (const cause of await tables.frontier.refusalCauses(slots)) {
    if (causes.has(cause)) continue;
    for await (const entries of tables.frontier.refused(cause, slots)) {
      if (tracker.aborted) return;
      await onStep();
      const entryOf = new Map(entries.map((entry) => [entry.rowKey, entry]));
      await tables.changeRows([...entryOf.keys()], [], clock(), (rows, keys, stale) =>
        keys.map((key, i) => {
          if (rows[i]?.refusedBy === cause) return { key, unset: ['refusedBy'] };
          stale(entryOf.get(key)!);
          return undefined;
        }),
      );
    }
  }
}

/** Makes a short name for a cause. It has only characters that are allowed in a key. */
function causeOf(kind: string, rule: unknown): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 16)}`;
}
