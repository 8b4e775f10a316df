import { rowKeyOf, urlOf, type BatchEntry, type PageChange, type RowToChange } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { hintedFields, mergeHints, soonerDue, type LinkHints } from '../parsing/link-hints.js';
import { newRowFields } from '../rows/new-row.js';
import { createRefusals, type Refusals } from '../selection/refusals.js';
import { createScoring, type Scoring } from '../rows/scoring-chain.js';
import type { Tracker } from '../reporting/tracker.js';

/** One link, as it is added to the row that it leads to. */
export interface LinkEvent {
  /** Row key of the page with the link. */
  readonly source: string;
  /** The source in the index of its batch. */
  readonly entry: BatchEntry;
  readonly anchor: string;
  readonly score: number;
  /** Of the target by way of this link; Infinity when that of the source is not known. */
  readonly distance: number;
  /** What is said of the target, where anything is. */
  readonly hints?: LinkHints | undefined;
  /** The link names its target as a sitemap. */
  readonly sitemap?: true | undefined;
  /** Redirects in a row that lead to the target by way of this link. */
  readonly redirectDepth: number;
}

/** Links of consecutive pages of a batch, gathered by target: as many as fit into memory. */
export interface LinkSlice {
  readonly batchId: string;
  /** How many links it holds; long ones count for several. */
  readonly links: number;
  readonly targets: ReadonlyMap<string, readonly LinkEvent[]>;
  add(target: string, event: LinkEvent): void;
}

export function createLinkSlice(batchId: string): LinkSlice {
  const targets = new Map<string, LinkEvent[]>();
  let links = 0;
  return {
    batchId,
    targets,
    get links() {
      return links;
    },
    add(target, event) {
      const events = targets.get(target);
      if (events) events.push(event);
      else targets.set(target, [event]);
      links += Math.ceil((target.length + event.anchor.length) / COMMON_LENGTH);
    },
  };
}

const FIELDS = ['status', 'fetchedAt', 'retries', 'cash', 'distance', 'sitemap', 'linkedUpTo', 'inlinkBound'] as const;
type Target = NonNullable<RowToChange<(typeof FIELDS)[number]>>;
const CHUNK = 500;
/** Characters of a link, with its anchor, that counts as one. */
const COMMON_LENGTH = 200;

/**
 * Adds links to the rows they lead to, in key order. A row notes the last source whose links it has (`linkedUpTo`) in the
 * same change, and passes over what it has.
 * @param openIds batches that may still add links; notes of others are dropped
 */
export async function addLinks(
  crawl: CrawlContext,
  slice: LinkSlice,
  openIds: ReadonlySet<string>,
  tracker: Tracker,
): Promise<void> {
  const targets = [...slice.targets.keys()].sort();
  const refusals = createRefusals(crawl, false);
  for (let i = 0; i < targets.length; i += CHUNK) {
    await crawl.tables.changeRows(targets.slice(i, i + CHUNK), FIELDS, crawl.clock(), async (rows, keys) => {
      const scoring = createScoring(crawl, tracker.count);
      const changes = keys.map((key, at): PageChange | undefined => {
        const row = rows[at];
        if (row?.damaged) {
          tracker.count('damaged');
          return undefined;
        }
        const links = slice.targets.get(key)!.filter((link) => isNew(row, slice.batchId, link));
        if (links.length === 0) return undefined;
        if (!row && !crawl.settings.db.updateAdditionsAllowed) {
          tracker.count('not_added');
          return undefined;
        }
        tracker.count('links', links.length);
        tracker.count(row ? 'linked' : 'added');
        const change = linkChange(crawl, scoring, refusals, tracker.count, slice.batchId, key, row, links, openIds);
        if (row && change.set?.dueAt !== undefined) tracker.count('sooner');
        if (!row && change.set?.refusedBy !== undefined) tracker.count('refused');
        return change;
      });
      return trimInlinks(crawl, changes);
    });
  }
}

const noteOf = (batchId: string, { slot }: BatchEntry): string => `${batchId}/${slot}`;

function isNew(row: Target | undefined, batchId: string, { entry }: LinkEvent): boolean {
  return entry.place > (row?.linkedUpTo?.[noteOf(batchId, entry)] ?? '');
}

function linkChange(
  crawl: CrawlContext,
  scoring: Scoring,
  refusals: Refusals,
  count: Count,
  batchId: string,
  key: string,
  row: Target | undefined,
  events: readonly LinkEvent[],
  openIds: ReadonlySet<string>,
): PageChange {
  const url = urlOf(key);
  const best = [...events].sort(byScore).slice(0, crawl.settings.db.updateMaxInlinks);
  // Every link counts for the distance, whichever are kept.
  const distance = events.reduce((least, event) => Math.min(least, event.distance), row?.distance ?? Infinity);
  const before = row ? { score: row.score ?? 0, cash: row.cash ?? 0 } : scoring.initial(url);
  const { score, cash } = scoring.update(
    before,
    best.map((event) => event.score),
    url,
    best.map((event) => event.anchor),
  );
  const hints = mergeHints(events.map((event) => event.hints));
  const due = row && soonerDue(row, hints, crawl.clock());
  const notes = new Map(Object.entries(row?.linkedUpTo ?? {}).filter(([id]) => openIds.has(id.split('/', 1)[0]!)));
  for (const { entry } of events) {
    const note = noteOf(batchId, entry);
    if (entry.place > (notes.get(note) ?? '')) notes.set(note, entry.place);
  }
  const isSitemap = events.some((event) => event.sitemap);
  const first = row ? undefined : firstFields(crawl, count, events);
  const refusal = row ? undefined : refusals.of({ ...first, key, score, distance });
  return {
    key,
    set: {
      ...first,
      ...(refusal?.cause !== undefined && { refusedBy: refusal.cause }),
      ...(row ? { score } : hintedFields(hints, score, crawl.settings.db.fetchIntervalMax)),
      ...(due !== undefined && { dueAt: due }),
      ...(isSitemap && !row?.sitemap && { sitemap: true }),
      cash,
      ...(Number.isFinite(distance) && distance !== row?.distance && { distance }),
      linkedUpTo: Object.fromEntries(notes),
      inlinkBound: (row?.inlinkBound ?? 0) + best.length,
    },
    inlinks: new Map(best.map(({ source, anchor, score }) => [source, { anchor, score }])),
  };
}

/** What a page that is first seen as a link starts with. */
function firstFields(crawl: CrawlContext, count: Count, events: readonly LinkEvent[]): NonNullable<PageChange['set']> {
  const redirectDepth = events.reduce((least, event) => Math.min(least, event.redirectDepth), Infinity);
  return {
    ...newRowFields(
      crawl,
      count,
      events.some((event) => event.sitemap),
    ),
    ...(Number.isFinite(redirectDepth) && redirectDepth > 0 && { redirectDepth }),
  };
}

/**
 * Keeps the best inlinks of rows that would have too many. A row may hold a quarter more than `db.updateMaxInlinks`
 * before it is trimmed to it, so that not every new link to a popular page reads all of its inlinks.
 */
async function trimInlinks(
  crawl: CrawlContext,
  changes: readonly (PageChange | undefined)[],
): Promise<(PageChange | undefined)[]> {
  const max = crawl.settings.db.updateMaxInlinks;
  const isFull = (change: PageChange | undefined): boolean => (change?.set?.inlinkBound ?? 0) > Math.floor(max * 1.25);
  const full = changes.filter(isFull).map((change) => change!.key);
  const rows = new Map((await crawl.tables.pages.getMany(full, ['inlinks'])).map((row, i) => [full[i], row]));
  return changes.map((change) => {
    if (!change || !isFull(change)) return change;
    const scores = new Map<string, number>();
    for (const { url, score } of rows.get(change.key)?.inlinks ?? []) scores.set(rowKeyOf(url), score);
    for (const [source, inlink] of change.inlinks ?? []) if (inlink) scores.set(source, inlink.score);
    const ranked = Array.from(scores, ([source, score]) => ({ source, score })).sort(byScore);
    const inlinks = new Map(change.inlinks);
    for (const { source } of ranked.slice(max)) inlinks.set(source, null);
    return { ...change, set: { ...change.set, inlinkBound: Math.min(max, ranked.length) }, inlinks };
  });
}

function byScore(a: { score: number; source: string }, b: { score: number; source: string }): number {
  return b.score - a.score || (a.source < b.source ? -1 : 1);
}
