import { chunked, urlOf, type Field, type PageChange, type PageRow } from '../../webtable/index.js';
import {
  createRowCounts,
  createTracker,
  type Count,
  type CrawlContext,
  type JobOptions,
  type Report,
  type Tracker,
} from '../jobs/index.js';
import { formGroups, type Groups } from './groups.js';
import { createPageList, type PageList } from './page-list.js';
import { createSimhash } from './simhash.js';

/** What {@link dedup} takes. */
export interface DedupOptions extends JobOptions {
  /** Only pages with the same signature are duplicates, and texts are not read. Default: false. */
  readonly exact?: boolean;
}

const FIELDS = ['status', 'signature', 'newSignature', 'parseStatus', 'rank', 'duplicateOf'] as const;
const DECIDING = ['status', 'parseStatus', 'signature', 'newSignature', 'duplicateOf'] as const;
type Row = PageRow<(typeof DECIDING)[number]>;
const CHUNK = 500;
/** Words in a row of which a simhash is made: as measured, two tell pages of one template apart and bear changed words best. */
const SHINGLE = 2;

/**
 * Finds fetched pages with the same signature, and those whose texts are nearly the same (`dedup.distance`, `dedup.minWords`), keeps one
 * of each group, and writes its URL into the rows of the others as `duplicateOf`; removes it where a page is none any more. Kept is the
 * page that most of the others name as canonical; then the one of the highest rank, with https, of the shortest URL, first by key.
 *
 * All texts are read once. It holds about 165 bytes for each fetched page, as measured. Killed at any moment and run again it ends in the same state: it
 * works out all groups anew and writes what differs. It writes `duplicateOf` only.
 *
 * Counters: pages; of these exact and near (duplicates), groups, short, crowded; written, cleared, changed, damaged.
 * @throws CrawlError STORE_FULL, STORE_FAILED
 */
export async function dedup(crawl: CrawlContext, options: DedupOptions = {}): Promise<Report> {
  const tracker = createTracker(crawl, 'dedup', options);
  await crawl.tables.exclusive('dedup', () => markDuplicates(crawl, options, tracker));
  return tracker.report();
}

async function markDuplicates(crawl: CrawlContext, options: DedupOptions, tracker: Tracker): Promise<void> {
  const { turns } = crawl.tables;
  const pages = await readAll(crawl, options.exact ?? false, tracker);
  if (tracker.aborted) return;
  const distance = options.exact ? undefined : crawl.settings.dedup.distance;
  const groups = await formGroups(pages, { distance, turns, isAborted: () => tracker.aborted });
  if (!groups) return;
  for (const name of ['exact', 'near', 'groups', 'crowded'] as const) tracker.count(name, groups[name]);
  await writeGroups(crawl, pages, groups, tracker);
}

/** What is to be known of the pages. The mark of a row that is no page any more is removed at once. */
async function readAll(crawl: CrawlContext, exact: boolean, tracker: Tracker): Promise<PageList> {
  const { tables, settings } = crawl;
  const simhashOf = createSimhash(SHINGLE);
  const pages = createPageList();
  const stale: string[] = [];
  const fields: readonly ((typeof FIELDS)[number] | 'text')[] = exact ? FIELDS : [...FIELDS, 'text'];
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
      pages.push({
        key,
        signature,
        canonical: parseStatus?.canonical,
        rank,
        simhash,
        isMarked: duplicateOf !== undefined,
      });
    }
  }
  await clear(crawl, stale, tracker);
  return pages;
}

/** The signature of a page that can be compared: one that was fetched. That it could not be fetched again, as yet, changes nothing. */
function signatureOf({ status, parseStatus, newSignature, signature }: Row): string | undefined {
  const isFetched = status === 'fetched' || status === 'notmodified';
  const isPending = (status === 'retry' || status === 'unfetched') && parseStatus?.code === 'success';
  return isFetched || isPending ? (newSignature ?? signature) : undefined;
}

async function clear(crawl: CrawlContext, keys: readonly string[], tracker: Tracker): Promise<void> {
  await change(crawl, keys, tracker, (row, count) =>
    signatureOf(row) === undefined ? markOf(row, undefined, count) : undefined,
  );
}

/** Writes what differs, in key order. A row that has changed since it was read is left to the next run. */
async function writeGroups(crawl: CrawlContext, pages: PageList, { keptOf }: Groups, tracker: Tracker): Promise<void> {
  const concerned = async function* (): AsyncGenerator<number> {
    for (let page = 0; page < pages.length; page++) if (keptOf[page] !== page || pages.isMarked(page)) yield page;
  };
  for await (const chunk of chunked(concerned(), CHUNK)) {
    if (tracker.aborted) return;
    const numbers = new Map(chunk.map((page) => [pages.keyOf(page), page]));
    await change(crawl, [...numbers.keys()], tracker, (row, count) => {
      const page = numbers.get(row.key)!;
      const signature = signatureOf(row);
      if (signature === undefined || !pages.isOf(page, signature)) {
        count('changed');
        return undefined;
      }
      const kept = keptOf[page]!;
      return markOf(row, kept === page ? undefined : urlOf(pages.keyOf(kept)), count);
    });
  }
}

function markOf({ key, duplicateOf }: Row, kept: string | undefined, count: Count): PageChange | undefined {
  if (duplicateOf === kept) return undefined;
  count(kept === undefined ? 'cleared' : 'written');
  return kept === undefined ? { key, unset: ['duplicateOf'] } : { key, set: { duplicateOf: kept } };
}

async function change(
  { tables, clock }: CrawlContext,
  keys: readonly string[],
  { count }: Tracker,
  decide: (row: Row, count: Count) => PageChange | undefined,
): Promise<void> {
  if (keys.length === 0) return;
  const counts = createRowCounts(count);
  const fields: readonly (Field & (typeof DECIDING)[number])[] = DECIDING;
  await tables.changeRows(keys, fields, clock(), (rows) => rows.map((row) => row && decide(row, counts.of(row.key))));
  counts.end();
}
