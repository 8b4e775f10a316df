import {
  hostKeyOfRow,
  isRedirect,
  rowKeyOf,
  urlOf,
  type Page,
  type PageChange,
  type RowToChange,
} from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { hintedFields, mergeHints, soonerDue, type LinkHints } from '../parsing/link-hints.js';
import { SITEMAP_INTERVAL, newRowFields } from '../rows/new-row.js';
import { hold, partOf } from '../shards/own-slots.js';
import { createRefusals, type Refusals } from '../selection/refusals.js';
import { createScoring } from '../rows/scoring-chain.js';
import { FIT_FIELDS, NO_FIT_CHANGE, fitFields, refit, type FitChange } from '../rules/fit.js';
import { withRules } from '../rules/with-rules.js';
import { createRowCounts } from '../reporting/row-counts.js';
import { batchOf, firstBy, madeBy } from './link-notes.js';
import type { LinkEvent, LinkSlice, LinksOfTargets } from './link-slice.js';
import { readLeads, type LeadsByHost } from './leads.js';
import type { Tracker } from '../reporting/tracker.js';

/** What adding links to a row reads. */
export const LINKED_FIELDS = [
  'status',
  'fetchedAt',
  'retries',
  'cash',
  'distance',
  'distanceInFlight',
  'fetchInterval',
  'redirectDepth',
  'sitemap',
  'linkedUpTo',
  'inlinkBound',
] as const;
type Target = NonNullable<RowToChange<(typeof LINKED_FIELDS)[number]>> & Partial<Pick<Page, 'fit' | 'fitBonus'>>;
const CHUNK = 500;

/** By what rows are changed. */
export interface LinkTerms {
  readonly crawl: CrawlContext;
  readonly refusals: Refusals;
  /** By which it is decided anew of rows that wait whether they are explored; absent: it is not. */
  readonly leads?: LeadsByHost | undefined;
}

/** Adds the links of a batch to rows. */
export interface Linker {
  /**
   * Adds links to the rows they lead to, in key order.
   * @param own rows that the batch is known to hold: these are not read. When given, links to all rows that the batch holds are left
   * out, to be added in the change that releases them
   * @returns what was left out
   */
  addLinks(slice: LinkSlice, own?: ReadonlySet<string>): Promise<LinksOfTargets>;
  /** Looks up what rows that are to be changed are noted with. Call it when they are read. */
  look(rows: readonly (Target | undefined)[]): Promise<void>;
  /** By which rows are changed from now on: by the rules as they are. */
  now(): Promise<LinkTerms>;
  /** Whether links of a batch may still be added. */
  isOpen(batchId: string): Promise<boolean>;
  /** The change that adds links to a row; undefined where it has them, or is new and no row is to be made. */
  changeFor(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    links: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined;
  /** The same changes, without the inlinks that a row would have too many. */
  trim(changes: readonly (PageChange | undefined)[]): Promise<(PageChange | undefined)[]>;
}

/**
 * A row notes the last source whose links it has (`linkedUpTo`) in the change that adds them, and passes over what it has.
 * @param openIds batches that may still add links; notes of others are dropped, unless they were made since
 */
export function createLinker(
  crawl: CrawlContext,
  batchId: string,
  openIds: ReadonlySet<string>,
  tracker: Tracker,
): Linker {
  let latest: LinkTerms | undefined;
  const now = async (): Promise<LinkTerms> => {
    const ruled = await withRules(crawl);
    if (latest?.crawl === ruled) return latest;
    return (latest = { crawl: ruled, refusals: createRefusals(ruled, false) });
  };
  const trim: Linker['trim'] = (changes) => trimInlinks(crawl, changes);
  const { batches, isShared } = crawl.tables;
  /** Batches that were looked up, and whether they may still add links. */
  const known = new Map<string, boolean>(Array.from(openIds, (id) => [id, true]));
  const mayAdd = (id: string): boolean => known.get(id) ?? false;

  /** Somebody else may have made a batch since, and have added links of it. */
  async function look(rows: readonly (Target | undefined)[]): Promise<void> {
    if (!isShared) return;
    for (const row of rows) {
      for (const note of Object.keys(row?.linkedUpTo ?? {})) {
        await isOpen(batchOf(note));
      }
    }
  }

  async function isOpen(id: string): Promise<boolean> {
    const isKnown = known.get(id);
    if (isKnown !== undefined || !isShared) return isKnown ?? false;
    const state = (await batches.find(id))?.state;
    const isFound = state !== undefined && state !== 'closed' && state !== 'updated';
    known.set(id, isFound);
    return isFound;
  }

  function changeFor(
    terms: LinkTerms,
    key: string,
    row: Target | undefined,
    events: readonly LinkEvent[],
    count: Count,
  ): PageChange | undefined {
    const links: LinkEvent[] = [];
    for (const link of events) if (isNew(row, link)) links.push(link);
    if (links.length === 0) return undefined;
    if (!row && !crawl.settings.db.updateAdditionsAllowed) {
      count('not_added');
      return undefined;
    }
    // The rule has come after the pages were parsed.
    if (!row && terms.crawl.ruleSet?.decides(urlOf(key))?.kind === 'reject') {
      count('not_added_rules');
      return undefined;
    }
    count('links', links.length);
    count(row ? 'linked' : 'added');
    const change = linkChange(terms, count, batchId, key, row, links, mayAdd);
    if (row && change.set?.dueAt !== undefined) count('sooner');
    if (!row && change.set?.refusedBy !== undefined) count('refused');
    return change;
  }

  return {
    now,
    isOpen,
    look,
    changeFor,
    trim,
    async addLinks(slice, own) {
      const left = new Set<string>();
      const sorted: string[] = [];
      for (const target of slice.targets()) {
        if (own?.has(target)) left.add(target);
        else sorted.push(target);
      }
      sorted.sort();
      for (let i = 0; i < sorted.length; i += CHUNK) {
        const counts = createRowCounts(tracker.count);
        const some = sorted.slice(i, i + CHUNK);
        const latest = await now();
        const terms = { ...latest, leads: await readLeads(latest.crawl, some) };
        const fields = terms.leads ? ([...LINKED_FIELDS, ...FIT_FIELDS] as const) : LINKED_FIELDS;
        await crawl.tables.changeRows(some, fields, crawl.clock(), async (rows, keys) => {
          await hold(crawl);
          await look(rows);
          return trim(
            keys.map((key, at) => {
              const row = rows[at];
              const count = counts.of(key);
              left.delete(key);
              if (row?.damaged) count('damaged');
              else if (own && row?.marks?.generate === batchId) left.add(key);
              else return changeFor(terms, key, row, slice.linksOf(key), count);
              return undefined;
            }),
          );
        });
        counts.end();
      }
      return left.size === 0 ? NOTHING_LEFT : leftOf(slice, left);
    },
  };
}

/** Holds no slice. */
const NOTHING_LEFT: LinksOfTargets = { linksOf: () => [] };

/** The links to these rows. A function of the module, so that it holds nothing else of the call that makes it. */
function leftOf(slice: LinkSlice, rows: ReadonlySet<string>): LinksOfTargets {
  return { linksOf: (key) => (rows.has(key) ? slice.linksOf(key) : []) };
}

const scoreOf = (event: LinkEvent): number => event.score;
const anchorOf = (event: LinkEvent): string => event.anchor;
const hintsOf = (event: LinkEvent): LinkEvent['hints'] => event.hints;
const isInSitemap = (event: LinkEvent): boolean => event.sitemap === true;

function isNew(row: Target | undefined, { from }: LinkEvent): boolean {
  return from.place > (row?.linkedUpTo?.[from.note] ?? '');
}

/** What a row has for being useful, or for where pages like it led: a new one, or one that waits to be fetched. */
function fitChange({ crawl, leads }: LinkTerms, key: string, row: Target | undefined, batchId: string): FitChange {
  const url = urlOf(key);
  const ofHost = leads?.get(hostKeyOfRow(key));
  if (row) {
    const isWaiting = leads && row.status === 'unfetched' && row.marks?.generate !== batchId;
    return isWaiting ? refit(crawl, url, row, ofHost) : NO_FIT_CHANGE;
  }
  const set = fitFields(crawl, url, ofHost);
  // The scoring filters give it what it has without leads.
  return { lift: (set.fitBonus ?? 0) - (fitFields(crawl, url).fitBonus ?? 0), set, unset: [] };
}

function linkChange(
  terms: LinkTerms,
  count: Count,
  batchId: string,
  key: string,
  row: Target | undefined,
  events: readonly LinkEvent[],
  mayAdd: (batchId: string) => boolean,
): PageChange {
  const { crawl, refusals } = terms;
  const url = urlOf(key);
  const fit = fitChange(terms, key, row, batchId);
  // Errors of plugins are counted once, too, where it is decided again.
  const scoring = createScoring(crawl, count);
  const best = bestLinks(events, crawl.settings.db.updateMaxInlinks);
  // Every link counts for the distance, whichever are kept.
  let distance = row?.distance ?? Infinity;
  for (const { from } of events) distance = Math.min(distance, from.distance);
  const before = row ? { score: row.score ?? 0, cash: row.cash ?? 0 } : scoring.initial(url);
  const { score, cash } = scoring.update(
    { ...before, score: before.score + fit.lift },
    best.map(scoreOf),
    url,
    best.map(anchorOf),
  );
  const hints = mergeHints(events.map(hintsOf));
  const due = row && soonerDue(row, hints, crawl.clock());
  const notes = new Map<string, string>();
  for (const [note, place] of Object.entries(row?.linkedUpTo ?? {})) if (mayAdd(batchOf(note))) notes.set(note, place);
  for (const { from } of events) if (from.place > (notes.get(from.note) ?? '')) notes.set(from.note, from.place);
  // What another shard has made of the links that it had is as if these had been among them.
  const isMade = row?.linkedUpTo?.[madeBy(batchId)] !== undefined;
  if (!row && partOf(crawl)) notes.set(madeBy(batchId), '');
  const source = firstSource(crawl, row, batchId, url, events);
  if (source !== undefined) notes.set(firstBy(batchId), source);
  const isOwn = row?.marks?.generate === batchId;
  // A redirect hands on whether it is a sitemap, as it was when it was fetched: to whatever slice or run of updatedb.
  const isSitemap = events.some(isInSitemap) && !(isOwn && row.marks.fetch === batchId && isRedirect(row.status));
  const isLowered = Number.isFinite(distance) && distance !== row?.distance;
  const first = row ? undefined : firstFields(crawl, count, events);
  const refusal = row ? undefined : refusals.of({ ...first, key, score, distance });
  return {
    key,
    set: {
      ...first,
      ...fit.set,
      ...(refusal?.cause !== undefined && { refusedBy: refusal.cause }),
      ...(row && !isMade ? { score } : hintedFields(hints, score, crawl.settings.db.fetchIntervalMax)),
      ...(due !== undefined && { dueAt: due }),
      ...(isSitemap && !row?.sitemap && { sitemap: true }),
      cash,
      ...(isLowered && { distance }),
      // By which it hands on its own links, whoever gathers them after this.
      ...(isLowered && isOwn && row.distanceInFlight === undefined && { distanceInFlight: row.distance ?? Infinity }),
      ...(isMade && lateFields(row, isSitemap, hints, redirectDepthOf(events))),
      linkedUpTo: Object.fromEntries(notes),
      inlinkBound: (row?.inlinkBound ?? 0) + best.length,
    },
    unset: [
      ...fit.unset,
      ...(isMade && row.redirectDepth !== undefined && redirectDepthOf(events) === 0
        ? (['redirectDepth'] as const)
        : []),
    ],
    inlinks: inlinksOf(best),
  };
}

/** Of a useful page that links of the batch have made, the first that links to it: of whatever slice and shard. */
function firstSource(
  { ruleSet }: CrawlContext,
  row: Target | undefined,
  batchId: string,
  url: string,
  events: readonly LinkEvent[],
): string | undefined {
  const noted = row?.linkedUpTo?.[firstBy(batchId)];
  if ((row && noted === undefined) || !ruleSet?.explores || !ruleSet.fitOf(url)) return undefined;
  return events.reduce(
    (first, { from }) => (from.source < first ? from.source : first),
    noted ?? events[0]!.from.source,
  );
}

function redirectDepthOf(events: readonly LinkEvent[]): number {
  let least = Infinity;
  for (const { from } of events) least = Math.min(least, from.redirectDepth);
  return least;
}

/** What a page would have started with, had these links been among the first. */
function lateFields(
  row: Target,
  isSitemap: boolean,
  { changeInterval = Infinity }: LinkHints,
  redirectDepth: number,
): NonNullable<PageChange['set']> {
  const { fetchInterval = Infinity, redirectDepth: depth = 0 } = row;
  return {
    ...(isSitemap &&
      !row.sitemap &&
      !Number.isFinite(changeInterval) && { fetchInterval: Math.min(fetchInterval, SITEMAP_INTERVAL) }),
    ...(redirectDepth > 0 && redirectDepth < depth && { redirectDepth }),
  };
}

/** What a page that is first seen as a link starts with. */
function firstFields(crawl: CrawlContext, count: Count, events: readonly LinkEvent[]): NonNullable<PageChange['set']> {
  const redirectDepth = redirectDepthOf(events);
  return {
    ...newRowFields(crawl, count, events.some(isInSitemap)),
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
    const ranked = Array.from(scores, ([source, score]) => ({ from: { source }, score })).sort(byScore);
    const inlinks = new Map(change.inlinks);
    for (const { from } of ranked.slice(max)) inlinks.set(from.source, null);
    return { ...change, set: { ...change.set, inlinkBound: Math.min(max, ranked.length) }, inlinks };
  });
}

type Ranked = Pick<LinkEvent, 'score'> & { readonly from: Pick<LinkEvent['from'], 'source'> };

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.from.source < b.from.source ? -1 : 1);
}

/** So many links at the most, the best first. */
function bestLinks(events: readonly LinkEvent[], most: number): readonly LinkEvent[] {
  if (events.length === 1 && most >= 1) return events;
  const sorted = [...events].sort(byScore);
  return sorted.length > most ? sorted.slice(0, most) : sorted;
}

function inlinksOf(links: readonly LinkEvent[]): NonNullable<PageChange['inlinks']> {
  const inlinks = new Map<string, LinkEvent>();
  for (const link of links) inlinks.set(link.from.source, link);
  return inlinks;
}
