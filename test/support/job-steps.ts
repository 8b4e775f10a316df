import { vi } from 'vitest';
import {
  jobs,
  rowKeyOf,
  urlOf,
  type Crawl,
  type Field,
  type PageRow,
  type Report,
} from '../../packages/webcrawl/index.js';

/** Selects all that is due and returns the batch id. */
export async function select(crawl: Crawl, topN?: number): Promise<string> {
  const { batchId } = await jobs.generate(crawl, topN === undefined ? {} : { topN });
  if (batchId === undefined) throw new Error('nothing is due');
  return batchId;
}

/** The URLs of the rows that a batch holds, or any batch where none is named, sorted. */
export async function selectedUrls(crawl: Crawl, batchId?: string): Promise<string[]> {
  const urls: string[] = [];
  for await (const row of crawl.tables.pages.scan({ fields: ['marks'] })) {
    const held = row.marks?.generate;
    if (held !== undefined && (batchId === undefined || held === batchId)) urls.push(urlOf(row.key));
  }
  return urls.sort();
}

/** Injects seeds and returns the batch that holds all that is due. */
export async function start(crawl: Crawl, ...seeds: string[]): Promise<string> {
  await jobs.inject(crawl, { seeds });
  return select(crawl);
}

/** One round of generate, fetch with parse, and updatedb: the reports of the last two. */
export async function round(crawl: Crawl): Promise<{ batch: string; fetched: Report; updated: Report }> {
  const batch = await select(crawl);
  const fetched = await jobs.fetch(crawl, { batch, parse: true });
  return { batch, fetched, updated: await jobs.updatedb(crawl, { batch }) };
}

/** The row of a URL without its key; an empty object where it has none of the fields. */
export async function rowOf<F extends Field>(
  crawl: Crawl,
  url: string,
  ...fields: F[]
): Promise<Omit<PageRow<F>, 'key'>> {
  const { key: _, ...row } = (await crawl.tables.pages.get(rowKeyOf(url), fields)) ?? { key: '' };
  return row as Omit<PageRow<F>, 'key'>;
}

/** Runs to its end, by fake timers, what waits for timers too. */
export async function settle<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const mark = (): void => void (isSettled = true);
  work.then(mark, mark);
  while (!isSettled) await vi.advanceTimersByTimeAsync(50);
  return work;
}
