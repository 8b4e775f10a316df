import { vi } from 'vitest';
import {
  jobs,
  rowKeyOf,
  urlOf,
  type OpenContext,
  type Field,
  type PageRow,
  type Report,
} from '../../packages/webcrawl/internal.js';

/** Selects all due pages and returns the batch id. */
export async function select(crawl: OpenContext, topN?: number): Promise<string> {
  const { batchId } = await jobs.generate(crawl, topN === undefined ? {} : { topN });
  if (batchId === undefined) throw new Error('nothing is due');
  return batchId;
}

/** The URLs of the rows that a batch holds, sorted; of all batches if none is named. */
export async function selectedUrls(crawl: OpenContext, batchId?: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const row of crawl.tables.pages.scan({ fields: ['marks'] })) {
    const held = row.marks?.generate;
    if (held !== undefined && (batchId === undefined || held === batchId)) urls.push(urlOf(row.key));
  }
  return urls.sort();
}

/** Injects seeds and returns the batch with all due pages. */
export async function start(crawl: OpenContext, ...seeds: string[]): Promise<string> {
  await jobs.inject(crawl, { seeds });
  return select(crawl);
}

/** Injects seeds, if given, then runs one round of generate, fetch with parse, and updatedb. Returns the reports of the last two. */
export async function round(
  crawl: OpenContext,
  ...seeds: string[]
): Promise<{ batch: string; fetched: Report; updated: Report }> {
  const batch = seeds.length > 0 ? await start(crawl, ...seeds) : await select(crawl);
  const fetched = await jobs.fetch(crawl, { batch, parse: true });
  return { batch, fetched, updated: await jobs.updatedb(crawl, { batch }) };
}

/** The row of a URL without its key; an empty object where it has none of the fields. */
export async function rowOf<F extends Field>(
  crawl: OpenContext,
  url: string,
  ...fields: F[]
): Promise<Omit<PageRow<F>, 'key'>> {
  const { key: _, ...row } = (await crawl.tables.pages.get(rowKeyOf(url), fields)) ?? { key: '' };
  return row as Omit<PageRow<F>, 'key'>;
}

/** Runs work to its end with fake timers, including work that waits for timers. */
export async function settle<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const mark = (): void => void (isSettled = true);
  work.then(mark, mark);
  while (!isSettled) await vi.advanceTimersByTimeAsync(50);
  return work;
}
