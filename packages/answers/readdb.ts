import {
  isBodyLost,
  urlOf,
  type BatchHeader,
  type Field,
  type PageRow,
  readableUrl,
  type CrawlContext,
} from '../core/index.js';

/** Figures of a table. */
export interface TableStats {
  readonly total: number;
  /** Number of pages by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Number of pages by number of successive failed fetches. */
  readonly retries: Readonly<Record<string, number>>;
  /** The lowest, the mean and the highest score. Absent: the table is empty. */
  readonly score?: { readonly min: number; readonly avg: number; readonly max: number };
  /** Number of rows that cannot be read in full. */
  readonly damaged: number;
  /** Number of rows whose stored body can no longer be read. Absent: bodies were not read. */
  readonly lostBodies?: number;
  /** Batches that hold pages, oldest first. */
  readonly batches: readonly BatchHeader[];
}

/**
 * Counts the rows of a table. This reads the whole table.
 * @param options.bodies false: bodies are not read, and lost bodies are not counted. This is much faster, because bodies are most of a
 * table. Default: true
 * @throws the reason of `options.signal`
 */
export async function stats(
  crawl: Pick<CrawlContext, 'tables'>,
  { bodies = true, signal }: { readonly bodies?: boolean; readonly signal?: AbortSignal } = {},
): Promise<TableStats> {
  const statuses: Record<string, number> = {};
  const retries: Record<string, number> = {};
  let [total, damaged, lostBodies, sum, mean, min, max] = [0, 0, 0, 0, 0, Infinity, -Infinity];
  const fields = ['status', 'retries', 'score'] as const;
  for await (const row of crawl.tables.pages.scan({ fields: bodies ? [...fields, 'content'] : fields })) {
    signal?.throwIfAborted();
    total += 1;
    if (isBodyLost(row)) lostBodies += 1;
    else if (row.damaged) damaged += 1;
    const status = row.status ?? 'unknown';
    statuses[status] = (statuses[status] ?? 0) + 1;
    retries[row.retries ?? 0] = (retries[row.retries ?? 0] ?? 0) + 1;
    const score = row.score ?? 0;
    sum += score;
    mean += score / total - mean / total;
    min = Math.min(min, score);
    max = Math.max(max, score);
  }
  const batches = await crawl.tables.batches.list();
  return {
    total,
    statuses,
    retries,
    ...(total > 0 && { score: { min, avg: Number.isFinite(sum) ? sum / total : mean, max } }),
    damaged,
    ...(bodies && { lostBodies }),
    batches,
  };
}

/**
 * Returns a page as plain JSON. The result has `key`, `url`, `readableUrl` if it differs from `url`, `status`, and those of the given
 * fields that the row has, in the given order. `damaged` names the fields that cannot be read. Times are ms since the epoch, inlinks are
 * `{url, anchor}`, a body is base64.
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
