import type { InlinkCell, PageChange } from '../../../webtable/index.js';
import type { JobRun } from '../context.js';
import type { Target } from './link-change.js';
import type { LinkEvent } from './link-slice.js';

/** A row with at most this number of inlinks is never folded. */
const MAX_UNFOLDED_INLINKS = 32;
/** A row is folded again if its number of inlinks may have grown by more than this factor since it was last folded. */
const MAX_GROWTH = 4;
/** Maximum number of inlinks that are folded in one step, because they are all in memory. A single row may have more. */
const MAX_INLINKS_PER_STEP = 50_000;

/**
 * Changes rows in steps. If the inlinks of some rows would take too much memory, {@link foldInlinks} leaves these rows for a later step.
 * @param change changes rows, and adds the keys of rows that it left to `later`
 */
export async function inFoldSteps(
  keys: readonly string[],
  change: (keys: readonly string[], later: Set<string>) => Promise<void>,
): Promise<void> {
  let size = keys.length;
  for (let left = keys; left.length > 0;) {
    const some = left.slice(0, size);
    const later = new Set<string>();
    await change(some, later);
    left = [...later, ...left.slice(size)];
    // The next step takes only as many rows as this step has changed. More rows would be left again.
    size = some.length - later.size;
  }
}

/**
 * Folds the inlinks of rows that have too many. The stored inlinks and the new inlinks become one cell, with the best `db.updateMaxInlinks`
 * links. The new cell replaces all other cells of the row in the same change.
 *
 * A row is folded for two reasons: it may have 25 % more inlinks than `db.updateMaxInlinks`, or more than four times the inlinks that it
 * had when it was last folded, plus 32. Therefore the number of cells of a row is bounded, even if the same pages link to it in every
 * crawl, and each link is rewritten a constant number of times. Most changes read no stored inlinks. If the first change of a row has more
 * than {@link MAX_UNFOLDED_INLINKS} inlinks, the row counts as folded.
 *
 * Stored inlinks that cannot be decoded stay as they are, and new inlinks get a separate cell.
 * @param rows the rows as they were read for these changes
 * @param later receives the keys of rows that are left for a later step ({@link inFoldSteps}); the keys of the other rows are removed
 * @returns the changes; undefined for rows that are left for a later step
 */
export async function foldInlinks(
  crawl: JobRun,
  rows: readonly (Target | undefined)[],
  changes: readonly (PageChange | undefined)[],
  later: Set<string>,
): Promise<(PageChange | undefined)[]> {
  const max = crawl.settings.db.updateMaxInlinks;
  const keys: string[] = [];
  let inlinks = 0;
  for (const [i, change] of changes.entries()) {
    if (!change) continue;
    later.delete(change.key);
    const { inlinkBound: before = 0, inlinksFolded = 0 } = rows[i] ?? {};
    const bound = change.set?.inlinkBound ?? 0;
    if (before === 0 || bound <= Math.min(Math.floor(max * 1.25), MAX_GROWTH * inlinksFolded + MAX_UNFOLDED_INLINKS))
      continue;
    inlinks += bound;
    if (keys.length > 0 && inlinks > MAX_INLINKS_PER_STEP) later.add(change.key);
    else keys.push(change.key);
  }
  const found = await crawl.tables.pages.storedInlinks(keys);
  const storedOf = new Map(found.map((stored, i) => [keys[i], stored]));
  return changes.map((change, i) => {
    if (change && later.has(change.key)) return undefined;
    if (!change?.inlinks) return change;
    const stored = storedOf.get(change.key);
    if (!stored) {
      const { size } = change.inlinks.links;
      return (rows[i]?.inlinkBound ?? 0) === 0 && size > MAX_UNFOLDED_INLINKS
        ? withInlinks(change, change.inlinks, size)
        : change;
    }
    const { links, positions } = stored;
    for (const [source, inlink] of change.inlinks.links) links.set(source, inlink);
    if (links.size > max) {
      const ranked = Array.from(links, ([source, { score }]) => ({ from: { source }, score })).sort(byScore);
      for (const { from } of ranked.slice(max)) links.delete(from.source);
    }
    return withInlinks(change, { position: 0, links, replaces: positions }, links.size);
  });
}

function withInlinks(change: PageChange, inlinks: InlinkCell, inlinksFolded: number): PageChange {
  return { ...change, set: { ...change.set, inlinkBound: inlinksFolded, inlinksFolded }, inlinks };
}

type Ranked = Pick<LinkEvent, 'score'> & { readonly from: Pick<LinkEvent['from'], 'source'> };

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.from.source < b.from.source ? -1 : 1);
}

/** Returns at most `most` links, those with the best scores, best first. */
export function bestLinks(events: readonly LinkEvent[], most: number): readonly LinkEvent[] {
  if (events.length === 1 && most >= 1) return events;
  const sorted = [...events].sort(byScore);
  return sorted.length > most ? sorted.slice(0, most) : sorted;
}

export function inlinksOf(links: readonly LinkEvent[]): InlinkCell['links'] {
  const inlinks = new Map<string, LinkEvent>();
  for (const link of links) inlinks.set(link.from.source, link);
  return inlinks;
}
