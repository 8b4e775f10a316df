import { isRedirect, urlOf, type PageChange, type RowToChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import { hintedFields, mergeHints, soonerDue } from '../parsing/link-hints.js';
import type { Count } from '../reporting/counters.js';
import { newRowFields } from '../rows/new-row.js';
import { createScoring } from '../rows/scoring-chain.js';
import type { RulesInForce } from '../rules/rules-now.js';
import type { Refusals } from '../selection/refusals.js';
import { bestLinks, inlinksOf } from './inlinks.js';
import { batchOf, withChunk } from './link-chunks.js';
import type { LinkEvent } from './link-slice.js';

/** The fields of a row that are read to add links. */
export const LINKED_FIELDS = [
  'status',
  'fetchedAt',
  'retries',
  'cash',
  'distance',
  'distanceInFlight',
  'sitemap',
  'linkedUpTo',
  'inlinkBound',
  'inlinksFolded',
] as const;
/** A row to which links are added. */
export type Target = NonNullable<RowToChange<(typeof LINKED_FIELDS)[number]>>;

/** What the changes of one chunk of rows depend on. */
export interface LinkTerms {
  readonly crawl: JobRun;
  readonly rules: RulesInForce;
  readonly refusals: Refusals;
  /** The time of the changes, in ms since the epoch. */
  readonly now: number;
}

const scoreOf = (event: LinkEvent): number => event.score;
const anchorOf = (event: LinkEvent): string => event.anchor;
const chunkOf = (event: LinkEvent): LinkEvent['from']['chunk'] => event.from.chunk;
const hintsOf = (event: LinkEvent): LinkEvent['hints'] => event.hints;
const isInSitemap = (event: LinkEvent): boolean => event.sitemap === true;

/**
 * Makes the change that adds links to a row. If the row does not exist, the change creates it.
 * @param mayAdd whether a batch may still add links
 */
export function linkChange(
  terms: LinkTerms,
  count: Count,
  key: string,
  row: Target | undefined,
  events: readonly LinkEvent[],
  mayAdd: (batchId: string) => boolean,
): PageChange {
  const { crawl, rules, refusals, now } = terms;
  const url = urlOf(key);
  // Errors of plugins are counted by `count`. It counts an error once, even if the change is made again.
  const scoring = createScoring(rules, count);
  const best = bestLinks(events, crawl.settings.db.updateMaxInlinks);
  // Every link is used for the distance, even if it does not become an inlink.
  let distance = row?.distance ?? Infinity;
  for (const { from } of events) distance = Math.min(distance, from.distance);
  const before = row ? { score: row.score ?? 0, cash: row.cash ?? 0 } : scoring.initial(url);
  const { score, cash } = scoring.update(before, best.map(scoreOf), url, best.map(anchorOf));
  const hints = mergeHints(events.map(hintsOf));
  const due = row && soonerDue(row, hints, now);
  const chunks = new Map(Object.entries(row?.linkedUpTo ?? {}).filter(([name]) => mayAdd(batchOf(name))));
  const added = [...new Set(events.map(chunkOf))];
  for (const { name, number } of added) chunks.set(name, withChunk(chunks.get(name), number));
  const heldBy = row?.marks?.generate;
  // Whether a batch that adds links holds the row.
  const isOwn = row !== undefined && added.some(({ name }) => batchOf(name) === heldBy);
  // A redirect passes its sitemap mark to its target only if the redirect had the mark when it was fetched. So a redirect that was fetched
  // in this batch gets no mark now. Otherwise the result would depend on the order in which updatedb adds links.
  const isSitemap = events.some(isInSitemap) && !(isOwn && row.marks?.fetch === heldBy && isRedirect(row.status));
  const isLowered = Number.isFinite(distance) && distance !== row?.distance;
  const first = row ? undefined : firstFields(terms, count, events);
  const refusal = row ? undefined : refusals.of({ ...first, key, score, distance });
  return {
    key,
    set: {
      ...first,
      ...(!row && rules.ruleSet.relevanceFields(url)),
      ...(refusal?.cause !== undefined && { refusedBy: refusal.cause }),
      ...(row ? { score } : hintedFields(hints, score, crawl.settings.db.fetchIntervalMax)),
      ...(due !== undefined && { dueAt: due }),
      ...(isSitemap && !row?.sitemap && { sitemap: true }),
      cash,
      ...(isLowered && { distance }),
      // The row keeps its old distance in `distanceInFlight`. The links of the page itself may be collected after this change, and they
      // need the old distance.
      ...(isLowered && isOwn && row.distanceInFlight === undefined && { distanceInFlight: row.distance ?? Infinity }),
      linkedUpTo: Object.fromEntries(chunks),
      inlinkBound: (row?.inlinkBound ?? 0) + best.length,
    },
    inlinks: { position: row?.inlinkBound ?? 0, links: inlinksOf(best) },
  };
}

/** Returns the first fields of a row that is created for a link. */
function firstFields(
  { crawl, now }: LinkTerms,
  count: Count,
  events: readonly LinkEvent[],
): NonNullable<PageChange['set']> {
  let redirectDepth = Infinity;
  for (const { from } of events) redirectDepth = Math.min(redirectDepth, from.redirectDepth);
  return {
    ...newRowFields(crawl, count, now, events.some(isInSitemap)),
    ...(Number.isFinite(redirectDepth) && redirectDepth > 0 && { redirectDepth }),
  };
}
