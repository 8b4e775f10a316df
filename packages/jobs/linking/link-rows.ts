import { urlOf, type ChunkSize, type Outlink, type PageRow } from '../../../webtable/index.js';
import type { TableRuleSet } from '../../plugin-api/index.js';
import { readAhead } from '../../util/index.js';
import type { JobRun } from '../context.js';
import type { HostFailures } from '../changes/host-failures.js';
import { hintsOf } from '../parsing/link-hints.js';
import type { Tracker } from '../reporting/tracker.js';
import { batchRows, type BatchRow } from '../rows/batch-rows.js';
import { handsOnLinks, isReleasedSource, linksOf } from '../rows/reschedule.js';
import { createScoring, scoringReads, type Scoring } from '../rows/scoring-chain.js';
import { rulesNow } from '../rules/rules-now.js';
import { createChunks, type LinkChunk } from './link-chunks.js';
import { createLinkSlice, weightOf, type LinkSlice, type LinksByTarget } from './link-slice.js';
import type { Linker } from './linker.js';

/** Number of rows that are read at a time with their links. Each row may have `db.maxOutlinksPerPage` links. */
const SOURCE_CHUNK = 50;
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
/** Additional fields of a row, read to count failures. */
const FAILURE_FIELDS = ['fetchedAt', 'protocolStatus', 'parseStatus', 'logged'] as const;
type SourceField = (typeof SOURCE_FIELDS)[number] | (typeof FAILURE_FIELDS)[number] | 'title' | 'text';
type Source = BatchRow<SourceField>['row'];

/**
 * Adds the links of the pages of a batch to their target rows, in slices that fit into memory. On a table without other workers, links to the
 * batch's own rows are left until these rows are released.
 * @param failures counts failed pages of the batch; absent: failures are not counted
 * @returns the links to own rows that are left; undefined if the job was stopped before all other links were added
 */
export async function linkRows(
  crawl: JobRun,
  batchId: string,
  size: ChunkSize,
  linker: Linker,
  tracker: Tracker,
  failures?: HostFailures,
): Promise<LinksByTarget | undefined> {
  const scoring = createScoring(crawl, tracker.count);
  const limit = crawl.settings.db.updateMaxLinksInMemory;
  const fields = [...SOURCE_FIELDS, ...scoringReads(crawl), ...(failures ? FAILURE_FIELDS : [])];
  const chunks = createChunks({ batchId }, size);
  let slice = createLinkSlice();
  /**
   * Own rows of the batch that were read. Links to them are left until their release, so these rows are not read again. On a table with
   * workers, no links are left. The set may use as much memory as the links.
   */
  const own = new Set<string>();
  let ownWeight = 0;
  const sources = batchRows(crawl, batchId, fields, SOURCE_CHUNK, tracker.count, isReleasedSource);
  for await (const read of readAhead(sources)) {
    if (tracker.aborted) return undefined;
    const rows = await fenced(crawl, batchId, read, fields);
    const { ruleSet } = await rulesNow(crawl);
    for (const { row, entry } of rows) {
      failures?.add(row, entry.queue);
      if (!crawl.tables.workers && row.marks?.generate === batchId && ownWeight < limit) {
        own.add(row.key);
        ownWeight += weightOf(row.key.length);
      }
      const links = handedOn(row, batchId);
      if (links.length === 0) continue;
      const { chunk, isFirst } = chunks.next(entry.slot, links.length);
      // At the memory bound, all links of this slice are added now. Only links of the last slice can be left until the release of the
      // batch's own rows.
      if (isFirst && slice.links >= limit) {
        await linker.addLinks(slice);
        slice = createLinkSlice();
      }
      collectLinks(scoring, slice, row, links, chunk, ruleSet);
    }
  }
  return linker.addLinks(slice, crawl.tables.workers ? undefined : own);
}

/**
 * Writes rows again that a dead worker may still fetch or parse, so that its late change is not visible. Returns the rows as they are now.
 */
async function fenced<F extends SourceField>(
  { tables, clock }: JobRun,
  batchId: string,
  rows: readonly BatchRow<F>[],
  fields: readonly F[],
): Promise<readonly BatchRow<F>[]> {
  const isOpen = ({ marks, status }: PageRow<'marks' | 'status'>): boolean =>
    marks?.generate === batchId && (marks.fetch !== batchId || (status === 'fetched' && marks.parse !== batchId));
  const found = rows.filter(({ row }) => isOpen(row as PageRow<'marks' | 'status'>) && tables.isOfFormerOwner(row));
  const keys = found.map(({ row }) => row.key);
  if (keys.length === 0) return rows;
  const rowOf = new Map<string, PageRow<F | 'marks'>>();
  await tables.changeRows(keys, fields, clock(), (found) => {
    for (const row of found) if (row && !row.damaged) rowOf.set(row.key, row);
    return found.map(() => undefined);
  });
  return rows.map((each) => ({ ...each, row: rowOf.get(each.row.key) ?? each.row }));
}

/** Returns the links that updatedb adds for a row: those of a page that was parsed in this batch, or the target of a redirect. */
function handedOn(row: Source, batchId: string): readonly Outlink[] {
  return isReleasedSource(row, batchId) || handsOnLinks(row, batchId) ? linksOf(row) : [];
}

/** Adds the links of a row to the slice. */
function collectLinks(
  scoring: Scoring,
  slice: LinkSlice,
  row: Source,
  links: readonly Outlink[],
  chunk: LinkChunk,
  ruleSet: TableRuleSet,
): void {
  const { status, distance = Infinity } = row;
  const isRedirect = status !== 'fetched';

  const targets = links.map((link) => link.url);
  const { title = '', text = '' } = isRedirect ? {} : row;
  const anchors = links.map((link) => link.anchor);
  const scores = scoring.distribute(urlOf(row.key), targets, row.cashInFlight ?? 0, { anchors, title, text });
  const from = {
    source: row.key,
    chunk,
    distance: (row.distanceInFlight ?? distance) + (isRedirect ? 0 : 1),
    redirectDepth: isRedirect ? (row.redirectDepth ?? 0) + 1 : 0,
  };
  for (const [i, link] of links.entries()) {
    // A `www` rule may have been added after the page was parsed.
    const target = slice.keyOf(ruleSet.rewrite(link.url)?.url ?? link.url);
    slice.add(target, from, {
      anchor: link.anchor,
      score: scores[i] ?? 0,
      hints: hintsOf(link),
      sitemap: link.sitemap,
    });
  }
}
