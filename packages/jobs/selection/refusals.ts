import { createHash } from 'node:crypto';
import type { PageRow } from '../../../webtable/index.js';
import type { CounterName } from '../reporting/counters.js';
import type { Tracker } from '../reporting/tracker.js';
import { causeOfRule } from '../../rules/index.js';
import type { CrawlContext } from '../context.js';
import { refusalOf, type REFUSAL_FIELDS } from './refusal.js';

/** What generate does with rows that it refuses. */
export interface Refusals {
  /**
   * Why a row is refused; undefined where it is not. `cause` names what refused it, as it is now: the row is filed by it, and
   * not met again until that has changed. It is absent where nobody can know when it changes.
   */
  of(
    row: PageRow<(typeof REFUSAL_FIELDS)[number]>,
  ): { readonly reason: CounterName; readonly cause: string | undefined } | undefined;
  /** All causes that hold now. */
  readonly causes: ReadonlySet<string>;
}

/** @param filter false: URL filters, and the patterns of the scope, are not asked */
export function createRefusals(crawl: CrawlContext, filter: boolean): Refusals {
  const { restrictStatus, maxDistance } = crawl.settings.generate;
  const { include = [], exclude = [] } = crawl.scope?.scope ?? {};
  const causes = new Map<string, string>([
    ['status', causeOf('status', restrictStatus)],
    ['distance', `distance-${maxDistance}`],
  ]);
  const ofRules = new Map<string, ReadonlyMap<string, string>>();
  if (filter) {
    causes.set('excluded', causeOf('excluded', [include, exclude]));
    for (const { name, filterUrl, version, ruleVersions } of crawl.plugins) {
      if (!filterUrl) continue;
      if (version !== undefined) causes.set(`rejected_${name}`, causeOf('rejected', [name, version]));
      if (ruleVersions) ofRules.set(`rejected_${name}`, ruleCauses(ruleVersions));
    }
  }
  return {
    causes: new Set([...causes.values(), ...[...ofRules.values()].flatMap((rules) => [...rules.values()])]),
    of(row) {
      const refusal = refusalOf(crawl, row, filter);
      if (!refusal) return undefined;
      const { reason, rule } = refusal;
      return { reason, cause: (rule === undefined ? undefined : ofRules.get(reason)?.get(rule)) ?? causes.get(reason) };
    },
  };
}

/** The causes of single rules, by what the filter answers. */
function ruleCauses(versions: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(versions, ([rule, version]) => [rule, causeOfRule(rule, version)]));
}

/**
 * Has generate meet the rows again that were refused for causes which do not hold any more.
 * @param slots those of the hosts of the rows; undefined: all
 */
export async function releaseRefused(
  { tables, clock }: CrawlContext,
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

/** A short name that holds only what a key may. */
function causeOf(kind: string, rule: unknown): string {
  return `${kind}-${createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 16)}`;
}
