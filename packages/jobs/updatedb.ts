import {
  rowKeyOf,
  urlOf,
  type BatchEntry,
  type BatchHeader,
  type LeaseHolderInfo,
  type PageRow,
} from '../../webtable/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import {
  batchRows,
  batchTask,
  mustNameBatch,
  overBatches,
  type BatchOptions,
  type BatchRow,
} from './rows/batch-rows.js';
import type { CrawlContext } from './context.js';
import type { Report } from './reporting/job.js';
import { hintsOf } from './parsing/link-hints.js';
import { createLinkSlice, weightOf, type LinkSlice, type LinksOfTargets } from './linking/link-slice.js';
import { LINKED_FIELDS, createLinker, type Linker } from './linking/linker.js';
import { addToLeads } from './linking/leads.js';
import { noteOf } from './linking/link-notes.js';
import { RESCHEDULE_FIELDS, handsOnLinks, isReleasedSource, linksOf, reschedule } from './rows/reschedule.js';
import type { RuleSet } from '../rules/index.js';
import { FIT_FIELDS, NO_FIT_CHANGE, refit } from './rules/fit.js';
import { withRules } from './rules/with-rules.js';
import { createScoring, scoringReads, type Scoring } from './rows/scoring-chain.js';
import { createRowCounts } from './reporting/row-counts.js';
import { createTracker, type Tracker } from './reporting/tracker.js';
import { readAhead } from '../util/index.js';
import { noteDone } from './shards/note-done.js';
import { USUAL_WAIT, hold, inSlots, isNoted, partOf } from './shards/own-slots.js';

/** Rows read at a time together with their links, of which each may have `db.maxOutlinksPerPage`. */
const SOURCE_CHUNK = 20;
const SOURCE_FIELDS = [
  'status',
  'cashInFlight',
  'distance',
  'distanceInFlight',
  'redirectDepth',
  'redirectTarget',
  'outlinks',
  'sitemap',
] as const;
type Source = BatchRow<(typeof SOURCE_FIELDS)[number] | 'title' | 'text'>['row'];

/**
 * Closes a batch: adds the links of the pages it fetched to the rows they lead to, making rows that are new, then
 * plans the next fetch of each of its own rows and releases them. Pages that were not fetched stay due.
 *
 * The order is what makes it safe to kill and run again: every other row that is linked is written before the first own row
 * is released, and an own row gets its links and is released in one change. Run again, it gathers all links anew, those of
 * rows that it has released too: each row notes the last source whose links it has, so that nothing is added twice. Memory
 * is bounded by `db.updateMaxLinksInMemory`.
 *
 * Where rules say what is useful, it is added to what is known of hosts where the rows led, before they are released; by what is known of the batches
 * before it is decided which of the pages that it links to are explored.
 *
 * In shards each adds the links of the pages of its own slots, to any row. Rows are released only when the links of all slots are
 * added, and who comes last closes the batch: all shards are run again until {@link Batches.isDone} says that it is done.
 *
 * Counters: `COUNTERS.updatedb`.
 * @throws CrawlError UNKNOWN_BATCH, LEASE_HELD, LEASE_LOST
 */
export async function updatedb(crawl: CrawlContext, options: BatchOptions): Promise<Report> {
  return (await updateAndCount(crawl, options)).report;
}

/** What {@link updateAndCount} did. */
export interface Update {
  readonly report: Report;
  /** Own rows that were released, with an outcome and without. */
  readonly released: { readonly fetched: number; readonly notFetched: number };
}

/** The same, for a crawl, which goes by the rows that were released. */
export async function updateAndCount(given: CrawlContext, options: BatchOptions): Promise<Update> {
  mustNameBatch(options);
  const released = { fetched: 0, notFetched: 0 };
  const report = await inSlots(given, batchTask('updatedb', options), options, (crawl, signal) => {
    const how = { ...options, ...(signal && { signal }) };
    return overBatches(crawl, 'updatedb', how, (batch) =>
      crawl.tables.exclusive('updatedb', () => updateBatch(crawl, batch, how, released)),
    );
  });
  return { report, released };
}

type Released = { fetched: number; notFetched: number };

async function updateBatch(
  crawl: CrawlContext,
  batch: BatchHeader,
  options: BatchOptions,
  released: Released,
): Promise<Report> {
  const { batches, runs, slots } = crawl.tables;
  const { batchId, size } = batch;
  const part = partOf(crawl);
  const tracker = createTracker(crawl, 'updatedb', options, { batchId, total: size });
  // A batch that was not begun on can still be fetched.
  if (tracker.aborted) return tracker.report();
  if (batch.state === 'open') await whenNobodyFetches(crawl, batchId, options);
  let consumers = batch.consumers ?? (await runs.consumers());
  const header = await batches.change(batchId, (found) =>
    found?.state === 'open' ? { size, state: 'updating', consumers } : undefined,
  );
  // Those of who began on it hold, so that all shards keep the same.
  consumers = header?.consumers ?? consumers;
  // The last of the other shards has come to its end meanwhile.
  if (header?.state !== 'updating') {
    tracker.count('batch_closed');
    return tracker.report();
  }
  // A fetch that began before this has not ended, or was killed; no other can begin.
  if (!header.isLeft) {
    await whenNobodyFetches(crawl, batchId, options);
    if (tracker.aborted) return tracker.report();
    // So that not every one of many shards has to look at all others.
    if (part)
      await batches.change(batchId, (found) => (found?.state === 'updating' ? { ...found, isLeft: true } : undefined));
  }
  const openIds = new Set((await batches.list()).map(({ batchId: openId }) => openId));
  const linker = createLinker(crawl, batchId, openIds, tracker);

  const own = crawl.own?.slots ?? new Set(slots.all);
  const progress = await batches.progress(batchId, part);
  const toLink = [...own].filter((slot) => !progress.get(slot)?.linked);
  // Other shards may release rows only when all have added their links: so nothing is left to be added with the release.
  const left = await linkRows(crawl, batchId, linker, tracker, toLink, part === undefined);
  if (!left || (part && !(await noteDone(crawl, batchId, part, 'linked')))) return tracker.report();
  if (!(await releaseRows(crawl, batchId, linker, left, consumers, tracker, released))) return tracker.report();
  await hold(crawl);
  // Each shard its own: slot by slot, it would be too much for the last of them.
  await batches.clear(batchId, { of: part });
  if (part && !(await noteDone(crawl, batchId, part, 'released'))) return tracker.report();

  await hold(crawl);
  // Another shard may have done so.
  await batches.change(batchId, (header) => {
    if (header?.state !== 'updating') return undefined;
    return consumers.length > 0 ? { size, state: 'updated', consumers } : { size, state: 'closed' };
  });
  if ((isNoted(crawl) || progress.size > 0) && consumers.length === 0) await batches.forget(batchId);
  return tracker.report();
}

/**
 * Waits until no other worker fetches or parses a batch.
 * @throws CrawlError LEASE_HELD where one goes on
 */
async function whenNobodyFetches(crawl: CrawlContext, batchId: string, options: BatchOptions): Promise<void> {
  const { leaseWait = USUAL_WAIT, signal } = options;
  if (signal?.aborted) return;
  const isInTheWay = ({ tasks }: LeaseHolderInfo): boolean =>
    tasks.some((task) => (task.job === 'fetch' || task.job === 'parse') && (task.batchId ?? batchId) === batchId);
  const found = await crawl.tables.leases.untilNone(isInTheWay, { wait: leaseWait, ...(signal && { signal }) });
  if (!found) return;
  throw new CrawlError(
    'LEASE_HELD',
    `expected nobody to fetch or parse batch ${batchId} any more, found that ${safeText(found.name, 100)} does`,
    { hint: 'run the same command again when it has ended' },
  );
}

/**
 * @param slots of the sources
 * @param leavesOwn links to own rows are added with their release
 * @returns links to own rows, which are not added yet; undefined when the job was ended before all others were
 */
async function linkRows(
  crawl: CrawlContext,
  batchId: string,
  linker: Linker,
  tracker: Tracker,
  slots: Iterable<string>,
  leavesOwn: boolean,
): Promise<LinksOfTargets | undefined> {
  const scoring = createScoring(crawl, tracker.count);
  const limit = crawl.settings.db.updateMaxLinksInMemory;
  const fields = [...SOURCE_FIELDS, ...scoringReads(crawl)];
  let slice = createLinkSlice(batchId);
  /** Rows that wait for their release, as far as they are known without reading them again; they take no more memory than links may. */
  const own = new Set<string>();
  let ownWeight = 0;
  const sources = batchRows(crawl, batchId, fields, SOURCE_CHUNK, tracker.count, isReleasedSource, slots);
  for await (const read of readAhead(sources)) {
    if (tracker.aborted) return undefined;
    const rows = await fenced(crawl, batchId, read, fields);
    const { ruleSet } = await withRules(crawl);
    for (const { row, entry } of rows) {
      // Once more has come: of own rows the last slice alone is added as they are released.
      if (slice.links >= limit) {
        await linker.addLinks(slice);
        slice = createLinkSlice(batchId);
      }
      if (leavesOwn && row.marks?.generate === batchId && ownWeight < limit) {
        own.add(row.key);
        ownWeight += weightOf(row.key.length);
      }
      collectLinks(scoring, slice, row, entry, ruleSet);
    }
  }
  return linker.addLinks(slice, leavesOwn ? own : undefined);
}

/**
 * The rows, as nobody can change them any more who fetched or parsed them and was taken for dead: those that such a worker may still
 * store get another version, so that it cannot.
 */
async function fenced<F extends (typeof SOURCE_FIELDS)[number] | 'title' | 'text'>(
  { tables, clock }: CrawlContext,
  batchId: string,
  rows: readonly BatchRow<F>[],
  fields: readonly F[],
): Promise<readonly BatchRow<F>[]> {
  if (!tables.isShared) return rows;
  const isOpen = ({ marks, status }: PageRow<'marks' | 'status'>): boolean =>
    marks?.generate === batchId && (marks.fetch !== batchId || (status === 'fetched' && marks.parse !== batchId));
  const keys = rows.filter(({ row }) => isOpen(row as PageRow<'marks' | 'status'>)).map(({ row }) => row.key);
  if (keys.length === 0) return rows;
  await tables.changeRows(keys, ['status'], clock(), (found) =>
    found.map((row) => (row && isOpen(row) ? { key: row.key } : undefined)),
  );
  const now = await tables.pages.getMany<F | 'marks'>(keys, [...fields, 'marks']);
  const rowOf = new Map(now.flatMap((row) => (row && !row.damaged ? [[row.key, row]] : [])));
  return rows.map((each) => ({ ...each, row: rowOf.get(each.row.key) ?? each.row }));
}

/** The links that a row hands on: those of a page that was parsed in this batch, or the target of a redirect. */
function collectLinks(
  scoring: Scoring,
  slice: LinkSlice,
  row: Source,
  entry: BatchEntry,
  ruleSet: RuleSet | undefined,
): void {
  const isReleased = isReleasedSource(row, slice.batchId);
  if (!isReleased && !handsOnLinks(row, slice.batchId)) return;
  const links = linksOf(row);
  if (links.length === 0) return;
  const { status, distance = Infinity } = row;
  const isRedirect = status !== 'fetched';

  const targets = links.map((link) => link.url);
  const { title = '', text = '' } = isRedirect ? {} : row;
  const anchors = links.map((link) => link.anchor);
  const scores = scoring.distribute(urlOf(row.key), targets, row.cashInFlight ?? 0, { anchors, title, text });
  const from = {
    source: row.key,
    note: noteOf(slice.batchId, entry),
    place: entry.place,
    distance: (row.distanceInFlight ?? distance) + (isRedirect ? 0 : 1),
    redirectDepth: isRedirect ? (row.redirectDepth ?? 0) + 1 : 0,
  };
  for (const [i, link] of links.entries()) {
    // A rule on www may have come after the page was parsed.
    const target = rowKeyOf(ruleSet?.rewrite(link.url)?.url ?? link.url);
    slice.add(target, from, {
      anchor: link.anchor,
      score: scores[i] ?? 0,
      hints: hintsOf(link),
      sitemap: link.sitemap,
    });
  }
}

/**
 * Releases the own rows, and adds the links to them in the same change. Their entries stay in the index of the batch until
 * all are released: after a kill the links of those that were are gathered again.
 * @param left links to own rows
 * @returns false when the job was ended before all rows were released
 */
async function releaseRows(
  crawl: CrawlContext,
  batchId: string,
  linker: Linker,
  left: LinksOfTargets,
  consumers: readonly string[],
  tracker: Tracker,
  released: Released,
): Promise<boolean> {
  const { tables, clock } = crawl;
  const fields = [...new Set([...RESCHEDULE_FIELDS, ...LINKED_FIELDS])];
  for await (const entries of readAhead(tables.batches.entries(batchId, partOf(crawl)))) {
    if (tracker.aborted) return false;
    const updated = new Set<string>();
    const notFetched = new Set<string>();
    const counts = createRowCounts(tracker.count);
    const keys = entries.map(({ rowKey }) => rowKey);
    const terms = await linker.now();
    const explores = terms.crawl.ruleSet?.explores === true;
    if (explores) await addToLeads(terms.crawl, batchId, entries, linker);
    const read = explores ? ([...fields, ...FIT_FIELDS] as const) : fields;
    await tables.changeRows(keys, read, clock(), async (rows, asked) => {
      await hold(crawl);
      await linker.look(rows);
      const changes = rows.map((row, i) => {
        const count = counts.of(asked[i]!);
        updated.delete(asked[i]!);
        notFetched.delete(asked[i]!);
        if (row?.damaged) count('damaged');
        if (!row || row.damaged || row.marks?.generate !== batchId) return undefined;
        (row.marks.fetch === batchId ? updated : notFetched).add(row.key);
        const links = linker.changeFor(terms, row.key, row, left.linksOf(row.key), count);
        const release = reschedule(crawl, { ...row, ...links?.set }, batchId, count);
        const { distanceInFlight = row.distanceInFlight, ...linked } = links?.set ?? {};
        // Where it leads is known by now.
        const fit =
          explores && release.set?.status !== undefined && release.set.status !== 'unfetched'
            ? refit(terms.crawl, urlOf(row.key), row, undefined)
            : NO_FIT_CHANGE;
        const isLowered = distanceInFlight !== undefined && release.set?.cashInFlight !== undefined;
        return {
          ...links,
          ...release,
          set: {
            ...linked,
            ...release.set,
            ...fit.set,
            ...(fit.lift !== 0 && { score: (linked.score ?? row.score ?? 0) + fit.lift }),
            ...(isLowered && { distanceInFlight }),
          },
          unset: [
            ...fit.unset,
            ...(links?.unset ?? []),
            ...(release.unset ?? []),
            ...(isLowered ? [] : (['distanceInFlight'] as const)),
          ],
        };
      });
      // Before the rows: one that was released before a kill is not looked at again.
      const kept = consumers.length > 0 ? entries.filter(({ rowKey }) => updated.has(rowKey)) : [];
      await tables.batches.keepUpdated(batchId, kept);
      return linker.trim(changes);
    });
    counts.end();
    released.fetched += updated.size;
    released.notFetched += notFetched.size;
    tracker.done(entries.length);
  }
  return true;
}
