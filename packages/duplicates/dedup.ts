import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  changeOrSend,
  chunked,
  urlOf,
  type Field,
  type PageChange,
  type PageRow,
  createTracker,
  type Count,
  type CrawlContext,
  type JobContext,
  type JobOptions,
  type Report,
  type Tracker,
} from '../core/index.js';
import { createKeyFile, withWorkFolder } from '../scan/index.js';
import { formGroups, type GroupOptions, type Groups } from './groups.js';
import { identityOf } from './identity.js';
import { createPageList, type PageList } from './page-list.js';
import { createSimhash } from './simhash.js';
import { formSureGroups, type UnmarkedHost } from './template-hosts.js';

/** Options of {@link dedup}. */
export interface DedupOptions extends JobOptions {
  /** Compare signatures only, and do not read texts. Default: false. */
  readonly exact?: boolean;
  /**
   * Mark near duplicates also on hosts where they look like pages of one template: they are at least ten, and more than a fifth of the
   * pages of the host. Default: false.
   */
  readonly yes?: boolean;
  /** Called for each host whose near duplicates are not marked. */
  readonly onUnmarked?: (host: UnmarkedHost) => void;
}

const FIELDS = ['status', 'signature', 'newSignature', 'parseStatus', 'rank', 'duplicateOf'] as const;
const DECIDING = ['status', 'parseStatus', 'signature', 'newSignature', 'duplicateOf'] as const;
const IDENTIFYING = ['title', 'headings', 'text'] as const;
type Row = PageRow<(typeof DECIDING)[number]>;
const CHUNK = 500;
/**
 * Number of consecutive words in a feature of the simhash. Measurements showed that two words are best: pages of one template stay
 * distinct, and a few changed words hardly change the simhash.
 */
const SHINGLE = 2;

/**
 * Finds duplicates among fetched pages: pages with the same signature, and near duplicates. Near duplicates have the same title, headings
 * and numbers, and nearly the same text (`dedup.distance`, `dedup.minWords`). The job keeps one page of each group, and writes the URL of
 * that page as `duplicateOf` into the rows of the others. From a row that is no longer a duplicate, it removes `duplicateOf`. The page
 * that most pages of a group name as canonical is kept. If several are equal, the page with the highest rank is kept, then a page with
 * https, then the page with the shortest URL, then the first page by row key.
 *
 * The job reads the text of all pages once. It may be killed at any moment and run again with the same result: it computes all groups again, and
 * writes the differences. It writes only `duplicateOf` and `duplicateAt`.
 *
 * Counters: `COUNTERS.dedup`.
 * @throws CrawlError STORE_FULL, STORE_FAILED; BAD_OUTPUT when the folder for temporary files cannot be written
 */
export async function dedup(crawl: JobContext, options: DedupOptions = {}): Promise<Report> {
  const tracker = createTracker(crawl, 'dedup', options);
  await crawl.tables.exclusive('dedup', () =>
    withWorkFolder(tmpdir(), async (folder) => {
      await using keys = await createKeyFile(join(folder, 'keys'));
      await markDuplicates(crawl, options, tracker, createPageList(keys, folder));
    }),
  );
  return tracker.report();
}

async function markDuplicates(
  crawl: CrawlContext,
  options: DedupOptions,
  tracker: Tracker,
  pages: PageList,
): Promise<void> {
  const { timeSlice } = crawl.tables;
  await readAll(crawl, options.exact ?? false, tracker, pages);
  if (tracker.aborted) return;
  await pages.end();
  const distance = options.exact ? undefined : crawl.settings.dedup.distance;
  const how = { distance, timeSlice, isAborted: () => tracker.aborted };
  const groups = options.yes ? await formGroups(pages, how) : await sureGroups(pages, how, options, tracker);
  if (!groups) return;
  for (const name of ['exact', 'near', 'groups', 'crowded'] as const) tracker.count(name, groups[name]);
  await writeGroups(crawl, pages, groups, tracker);
}

async function sureGroups(
  pages: PageList,
  how: GroupOptions,
  { onUnmarked }: DedupOptions,
  { count }: Tracker,
): Promise<Groups | undefined> {
  const found = await formSureGroups(pages, how);
  for (const host of found?.unmarked ?? []) {
    count('unmarked_hosts');
    count('unmarked', host.near);
    onUnmarked?.(host);
  }
  return found?.groups;
}

/** Reads the data of all pages. If a marked row is no longer a page, its mark is removed at once. */
async function readAll(crawl: CrawlContext, exact: boolean, tracker: Tracker, pages: PageList): Promise<void> {
  const { tables, settings } = crawl;
  const simhashOf = createSimhash(SHINGLE);
  const stale: string[] = [];
  const fields: readonly (typeof FIELDS | typeof IDENTIFYING)[number][] = exact ? FIELDS : [...FIELDS, ...IDENTIFYING];
  for await (const row of tables.pages.scan({ fields })) {
    if (tracker.aborted) break;
    tracker.done();
    const signature = signatureOf(row);
    if (row.damaged) tracker.count('damaged');
    else if (signature === undefined) {
      if (row.duplicateOf !== undefined) stale.push(row.key);
      if (stale.length >= CHUNK) await clear(crawl, stale.splice(0), tracker);
    } else {
      const { key, rank, parseStatus, duplicateOf } = row;
      const found = exact ? undefined : simhashOf(row.text ?? '');
      const simhash = found && found.words >= settings.dedup.minWords && found.words > 0 ? found : undefined;
      if (found && !simhash) tracker.count('short');
      tracker.count('pages');
      await pages.push({
        key,
        signature,
        canonical: parseStatus?.canonical,
        rank,
        simhash,
        identity: simhash && identityOf(row),
        isMarked: duplicateOf !== undefined,
      });
    }
  }
  await clear(crawl, stale, tracker);
}

/**
 * Returns the signature of a fetched page. Undefined: the row is not a fetched page, so it is not compared. If a later fetch fails, the
 * row still counts as a fetched page until the fetcher stops retrying.
 */
function signatureOf({ status, parseStatus, newSignature, signature }: Row): string | undefined {
  const isFetched = status === 'fetched' || status === 'notmodified';
  const isPending = (status === 'retry' || status === 'unfetched') && parseStatus?.code === 'success';
  return isFetched || isPending ? (newSignature ?? signature) : undefined;
}

async function clear(crawl: CrawlContext, keys: readonly string[], tracker: Tracker): Promise<void> {
  await change(crawl, keys, tracker, (row, count) =>
    signatureOf(row) === undefined ? markOf(row, undefined, crawl.clock(), count) : undefined,
  );
}

/** Writes the differences, in key order. A row that was changed after this job read it is left to the next run. */
async function writeGroups(crawl: CrawlContext, pages: PageList, { keptOf }: Groups, tracker: Tracker): Promise<void> {
  const concerned = async function* (): AsyncGenerator<number> {
    for (let page = 0; page < pages.length; page++) if (keptOf[page] !== page || pages.isMarked(page)) yield page;
  };
  for await (const chunk of chunked(concerned(), CHUNK)) {
    if (tracker.aborted) return;
    const found = new Map<string, { readonly page: number; readonly original: string | undefined }>();
    for (const page of chunk) {
      const kept = keptOf[page]!;
      const original = kept === page ? undefined : urlOf(await pages.keyOf(kept));
      found.set(await pages.keyOf(page), { page, original });
    }
    await change(crawl, [...found.keys()], tracker, (row, count) => {
      const { page, original } = found.get(row.key)!;
      const signature = signatureOf(row);
      if (signature === undefined || !pages.isOf(page, signature)) {
        count('changed');
        return undefined;
      }
      return markOf(row, original, crawl.clock(), count);
    });
  }
}

/**
 * Returns the change of a row that gives it the right mark. Undefined: the row has the right mark already. @param now in ms since the
 * epoch
 */
function markOf(
  { key, duplicateOf }: Row,
  kept: string | undefined,
  now: number,
  count: Count,
): PageChange | undefined {
  if (duplicateOf === kept) return undefined;
  count(kept === undefined ? 'cleared' : 'written');
  if (kept === undefined) return { key, set: { duplicateAt: now }, unset: ['duplicateOf'] };
  return { key, set: { duplicateOf: kept, duplicateAt: now } };
}

async function change(
  crawl: CrawlContext,
  keys: readonly string[],
  { count }: Tracker,
  decide: (row: Row, count: Count) => PageChange | undefined,
): Promise<void> {
  const fields: readonly (Field & (typeof DECIDING)[number])[] = DECIDING;
  await changeOrSend(crawl, 'dedup', keys, fields, (rows) => rows.map((row) => row && decide(row, count)));
}
