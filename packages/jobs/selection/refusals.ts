import { createHash } from 'node:crypto';
import type { PageRow } from '../../../webtable/index.js';
import type { CounterName } from '../reporting/counters.js';
import type { Tracker } from '../reporting/tracker.js';
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
  if (filter) {
    causes.set('excluded', causeOf('excluded', [include, exclude]));
    for (const { name, filterUrl, version } of crawl.plugins) {
      if (filterUrl && version !== undefined) causes.set(`rejected_${name}`, causeOf('rejected', [name, version]));
    }
  }
  return {
    causes: new Set(causes.values()),
    of(row) {
      const refusal = refusalOf(crawl, row, filter);
      return refusal && { reason: refusal.reason, cause: causes.get(refusal.reason) };
    },
  };
}

/** Has generate meet the rows again that were refused for causes which do not hold any more. */
export async function releaseRefused(
  { tables, clock }: CrawlContext,
  { causes }: Refusals,
  tracker: Pick<Tracker, 'aborted'>,
  onStep: () => Promise<void>,
): Promise<void> {
  for (const cause of await tables.frontier.refusalCauses()) {
    if (causes.has(cause)) continue;
    for await (const entries of tables.frontier.refused(cause)) {
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
