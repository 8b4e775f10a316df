import { isBodyLost, urlOf, type BatchHeader, type Field, type PageRow } from '../../webtable/index.js';
import { readableUrl } from '../url/index.js';
import type { CrawlContext } from './context.js';

/** What a table holds, in numbers. */
export interface TableStats {
  readonly total: number;
  /** Pages by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Pages by failed fetches in a row. */
  readonly retries: Readonly<Record<string, number>>;
  /** Absent for an empty table. */
  readonly score?: { readonly min: number; readonly avg: number; readonly max: number };
  /** Rows that cannot be read in full. */
  readonly damaged: number;
  /** Rows whose body was stored and cannot be read any more; absent where bodies were not looked at. */
  readonly lostBodies?: number;
  /** Batches that hold pages, oldest first. */
  readonly batches: readonly BatchHeader[];
}

/**
 * Counts what the table holds. It reads all of it.
 * @param options.bodies false: bodies are not read, and lost ones not counted; they are most of a table. Default: true
 */
export async function stats(
  crawl: Pick<CrawlContext, 'tables'>,
  { bodies = true }: { readonly bodies?: boolean } = {},
): Promise<TableStats> {
  const statuses: Record<string, number> = {};
  const retries: Record<string, number> = {};
  let [total, damaged, lostBodies, sum, min, max] = [0, 0, 0, 0, Infinity, -Infinity];
  const fields = ['status', 'retries', 'score'] as const;
  for await (const row of crawl.tables.pages.scan({ fields: bodies ? [...fields, 'content'] : fields })) {
    total += 1;
    if (isBodyLost(row)) lostBodies += 1;
    else if (row.damaged) damaged += 1;
    const status = row.status ?? 'unknown';
    statuses[status] = (statuses[status] ?? 0) + 1;
    retries[row.retries ?? 0] = (retries[row.retries ?? 0] ?? 0) + 1;
    const score = row.score ?? 0;
    sum += score;
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  const batches = await crawl.tables.batches.list();
  return {
    total,
    statuses,
    retries,
    ...(total > 0 && { score: { min, avg: sum / total, max } }),
    damaged,
    ...(bodies && { lostBodies }),
    batches,
  };
}

/**
 * A page as plain JSON: `key`, `url`, `readableUrl` where it differs, `status`, and each of the fields that is there, in their order; `damaged` names what could
 * not be read. Times are ms since the epoch, inlinks are `{url, anchor}`, a body is base64.
 */
export function dumpPage(row: PageRow<Field>, fields: readonly Field[]): Record<string, unknown> {
  const url = urlOf(row.key);
  const readable = readableUrl(url);
  const page: Record<string, unknown> = { key: row.key, url, ...(readable !== undefined && { readableUrl: readable }) };
  for (const field of new Set<Field>(['status', ...fields])) {
    if (row[field] === undefined) continue;
    if (field === 'inlinks') page.inlinks = row.inlinks?.map(({ url, anchor }) => ({ url, anchor }));
    else if (field === 'content') page.content = Buffer.from(row.content ?? []).toString('base64');
    else page[field] = row[field];
  }
  if (row.damaged) page.damaged = row.damaged;
  return page;
}
