import {
  FRONTIER_FIELDS,
  rowKeyOf,
  urlOf,
  writeIndexed,
  type IndexedChange,
  type PageChange,
  type PageRow,
} from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import { frontierClock, type CrawlContext } from '../context.js';
import { hintedCells, mergeHints, soonerDue, type LinkHints } from '../parsing/link-hints.js';
import { newRowCells } from '../rows/new-row.js';
import { createScoring, type Scoring } from '../rows/scoring-chain.js';
import type { Tracker } from '../reporting/tracker.js';

/** One link, as the row it leads to is told of it. */
export interface LinkEvent {
  /** Row key of the page with the link. */
  readonly source: string;
  /** Place of the source in its batch. */
  readonly position: number;
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

const FIELDS = [...FRONTIER_FIELDS, 'fetchedAt', 'retries', 'cash', 'distance', 'linkedUpTo', 'inlinkBound'] as const;
type Target = PageRow<(typeof FIELDS)[number]>;
const CHUNK = 500;
/** Characters of a link, with its anchor, that counts as one. */
const COMMON_LENGTH = 200;

/**
 * Tells the targets of their links, in key order. A target notes how far into the batch it has been told (`linked`) in
 * the same change, and passes over what it was told before.
 * @param openIds batches that may still tell; notes of others are dropped
 */
export async function addLinks(
  crawl: CrawlContext,
  slice: LinkSlice,
  openIds: ReadonlySet<string>,
  tracker: Tracker,
): Promise<void> {
  const keys = [...slice.targets.keys()].sort();
  for (let i = 0; i < keys.length; i += CHUNK) {
    const chunk = keys.slice(i, i + CHUNK);
    await crawl.table.exclusive('rows', () => addLinksTo(crawl, slice, chunk, openIds, tracker));
  }
}

async function addLinksTo(
  crawl: CrawlContext,
  slice: LinkSlice,
  keys: readonly string[],
  openIds: ReadonlySet<string>,
  tracker: Tracker,
): Promise<void> {
  const rows = await crawl.table.getMany(keys, FIELDS);
  const scoring = createScoring(crawl, tracker.count);
  const changes: IndexedChange[] = [];
  for (const [i, key] of keys.entries()) {
    const row = rows[i];
    if (row?.damaged) {
      tracker.count('damaged');
      continue;
    }
    const told = row?.linkedUpTo?.[slice.batchId] ?? -1;
    const events = slice.targets.get(key)!.filter((event) => event.position > told);
    if (events.length === 0) continue;
    if (!row && !crawl.settings.db.updateAdditionsAllowed) {
      tracker.count('not_added');
      continue;
    }
    tracker.count('links', events.length);
    tracker.count(row ? 'linked' : 'added');
    const change = linkChange(crawl, scoring, tracker.count, slice.batchId, key, row, events, openIds);
    if (row && change.set?.dueAt !== undefined) tracker.count('sooner');
    changes.push({ before: row, change });
  }
  await trimInlinks(crawl, changes);
  await writeIndexed(crawl.table, changes, frontierClock(crawl));
}

function linkChange(
  crawl: CrawlContext,
  scoring: Scoring,
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
  const notes = Object.entries(row?.linkedUpTo ?? {}).filter(([id]) => openIds.has(id));
  return {
    key,
    set: {
      ...(!row && firstCells(crawl, count, events)),
      ...(row ? { score } : hintedCells(hints, score, crawl.settings.db.fetchIntervalMax)),
      ...(due !== undefined && { dueAt: due }),
      ...(events.some((event) => event.sitemap) && { sitemap: true }),
      cash,
      ...(Number.isFinite(distance) && { distance }),
      linkedUpTo: {
        ...Object.fromEntries(notes),
        [batchId]: events.reduce((last, event) => Math.max(last, event.position), -1),
      },
      inlinkBound: (row?.inlinkBound ?? 0) + best.length,
    },
    inlinks: new Map(best.map(({ source, anchor, score }) => [source, { anchor, score }])),
  };
}

/** What a page that is first seen as a link starts with. */
function firstCells(crawl: CrawlContext, count: Count, events: readonly LinkEvent[]): NonNullable<PageChange['set']> {
  const redirectDepth = events.reduce((least, event) => Math.min(least, event.redirectDepth), Infinity);
  return {
    ...newRowCells(
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
async function trimInlinks(crawl: CrawlContext, changes: IndexedChange[]): Promise<void> {
  const max = crawl.settings.db.updateMaxInlinks;
  for (const [i, { before, change }] of changes.entries()) {
    if ((change.set?.inlinkBound ?? 0) <= Math.floor(max * 1.25)) continue;
    const row = await crawl.table.get(change.key, ['inlinks']);
    const scores = new Map<string, number>();
    for (const { url, score } of row?.inlinks ?? []) scores.set(rowKeyOf(url), score);
    for (const [source, inlink] of change.inlinks ?? []) if (inlink) scores.set(source, inlink.score);
    const ranked = Array.from(scores, ([source, score]) => ({ source, score })).sort(byScore);
    const inlinks = new Map(change.inlinks);
    for (const { source } of ranked.slice(max)) inlinks.set(source, null);
    const set = { ...change.set, inlinkBound: Math.min(max, ranked.length) };
    changes[i] = { before, change: { ...change, set, inlinks } };
  }
}

function byScore(a: { score: number; source: string }, b: { score: number; source: string }): number {
  return b.score - a.score || (a.source < b.source ? -1 : 1);
}
