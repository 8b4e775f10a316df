import {
  domainRanges,
  hostRange,
  isBodyLost,
  listBatches,
  prefixRange,
  urlOf,
  type BatchHeader,
  type Field,
  type KeyRange,
  type PageRow,
  type Status,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { CrawlContext } from './context.js';

/** Which pages to read; of host, domain and prefix at most one. */
export interface PageSelection {
  /** `www.example.org`: this host alone, all schemes and ports. */
  readonly host?: string;
  /** `example.org`: the domain and every host below it. */
  readonly domain?: string;
  /** A URL that the others begin with. */
  readonly prefix?: string;
  readonly status?: Status;
}

/**
 * Pages in key order, each whole as of one moment, with their status and the fields asked for.
 * @throws CrawlError USAGE for more than one of host, domain and prefix
 */
export async function* readPages<F extends Field>(
  crawl: Pick<CrawlContext, 'table'>,
  selection: PageSelection,
  fields: readonly F[],
): AsyncGenerator<PageRow<F | 'status'> & { readonly url: string }> {
  const { status } = selection;
  const ranges = rangesOf(selection);
  for await (const row of crawl.table.scan<F | 'status'>({
    fields: [...fields, 'status'],
    ...(ranges && { ranges }),
  })) {
    const found: PageRow<'status'> = row;
    if (status === undefined || found.status === status) yield { ...row, url: urlOf(row.key) };
  }
}

function rangesOf({ host, domain, prefix }: PageSelection): readonly KeyRange[] | undefined {
  if ([host, domain, prefix].filter((range) => range !== undefined).length > 1) {
    throw new CrawlError('USAGE', 'expected at most one of host, domain and prefix, found more');
  }
  if (host !== undefined) return [hostRange(host)];
  if (domain !== undefined) return domainRanges(domain);
  return prefix === undefined ? undefined : [prefixRange(prefix)];
}

/** What a table holds, in numbers. */
export interface TableStats {
  readonly total: number;
  /** Pages by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Pages by failed fetches in a row. */
  readonly retries: Readonly<Record<string, number>>;
  /** Absent for an empty table. */
  readonly score?: { readonly min: number; readonly avg: number; readonly max: number };
  /** Rows that can not be read in full. */
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
  crawl: Pick<CrawlContext, 'table'>,
  { bodies = true }: { readonly bodies?: boolean } = {},
): Promise<TableStats> {
  const statuses: Record<string, number> = {};
  const retries: Record<string, number> = {};
  let [total, damaged, lostBodies, sum, min, max] = [0, 0, 0, 0, Infinity, -Infinity];
  const fields = ['status', 'retries', 'score'] as const;
  for await (const row of crawl.table.scan({ fields: bodies ? [...fields, 'content'] : fields })) {
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
  const batches = await listBatches(crawl.table.store);
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

/** The fields that a dump shows unless others are asked for. */
export const DUMP_FIELDS = [
  'status',
  'fetchTime',
  'prevFetchTime',
  'fetchInterval',
  'retries',
  'score',
  'distance',
  'signature',
  'contentType',
  'redirect',
  'title',
  'text',
  'outlinks',
  'inlinks',
  'marks',
  'metadata',
  'protocolStatus',
] as const satisfies readonly Field[];

/**
 * A page as plain JSON: `key`, `url`, `status`, and each of the fields that is there, in their order; `damaged` names what could
 * not be read. Times are ms since the epoch, inlinks are `{url, anchor}`, a body is base64.
 */
export function dumpPage(row: PageRow<Field>, fields: readonly Field[]): Record<string, unknown> {
  const page: Record<string, unknown> = { key: row.key, url: urlOf(row.key) };
  for (const field of new Set<Field>(['status', ...fields])) {
    if (row[field] === undefined) continue;
    if (field === 'inlinks') page.inlinks = row.inlinks?.map(({ url, anchor }) => ({ url, anchor }));
    else if (field === 'content') page.content = Buffer.from(row.content ?? []).toString('base64');
    else page[field] = row[field];
  }
  if (row.damaged) page.damaged = row.damaged;
  return page;
}
