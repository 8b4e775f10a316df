import type { CrawlContext } from '../context.js';

/** Notes that a fetch begins, for those who look. Of a part of the table that says nothing. */
export async function beginFetch({ tables, own }: Pick<CrawlContext, 'tables' | 'own'>, now: number): Promise<void> {
  if (!own || own.isWhole) await tables.runs.putLastFetch({ state: 'running', at: now });
}

/** Notes that a fetch has ended and nothing is in flight. */
export async function endFetch({ tables, own }: Pick<CrawlContext, 'tables' | 'own'>, now: number): Promise<void> {
  if (!own || own.isWhole) await tables.runs.putLastFetch({ state: 'ended', at: now });
}
