import type { LinkHints } from '../parsing/link-hints.js';

/** What all links of a page have in common. */
export interface LinkSource {
  /** Its row key. */
  readonly source: string;
  /** The note of a row that says up to which place of its slot it has the links of the batch (see `noteOf`). */
  readonly note: string;
  /** Its place among those of the slot. */
  readonly place: string;
  /** Of the targets by way of this page; Infinity when that of the page is not known. */
  readonly distance: number;
  /** Redirects in a row that lead to the targets by way of this page. */
  readonly redirectDepth: number;
}

/** What a link has of its own. */
export interface LinkDetails {
  readonly anchor: string;
  readonly score: number;
  /** What is said of the target, where anything is. */
  readonly hints?: LinkHints | undefined;
  /** The link names its target as a sitemap. */
  readonly sitemap?: true | undefined;
}

/** One link, as it is added to the row that it leads to. */
export interface LinkEvent extends LinkDetails {
  readonly from: LinkSource;
}

/** The links to some rows, in the order in which they were found; none for others. */
export interface LinksOfTargets {
  /** Makes the list anew at each call. @param target a row key */
  linksOf(target: string): readonly LinkEvent[];
}

/** Links of consecutive pages of a batch, gathered by target: as many as fit into memory. */
export interface LinkSlice extends LinksOfTargets {
  readonly batchId: string;
  /** How many links it holds; long ones count for several. */
  readonly links: number;
  /** The row keys of all targets. */
  targets(): Iterable<string>;
  /** @param from the same object for all links of a page */
  add(target: string, from: LinkSource, link: LinkDetails): void;
}

const COMMON_LENGTH = 200;
const NONE = -1;

/** How many links one counts for. @param length characters of what it leads to, with its anchor */
export function weightOf(length: number): number {
  return Math.ceil(length / COMMON_LENGTH);
}

/**
 * An empty slice. Links are numbered, and what each has is at its number in a list of its own: an object for each link, alive through
 * the batch, costs the garbage collector a quarter of the time of updatedb.
 */
export function createLinkSlice(batchId: string): LinkSlice {
  /** The last link to each target, and of each link the one before it to the same target. */
  const lastTo = new Map<string, number>();
  const before: number[] = [];
  const sources: LinkSource[] = [];
  const sourceOf: number[] = [];
  const anchors: string[] = [];
  const scores: number[] = [];
  const hints = new Map<number, LinkHints>();
  const sitemaps = new Set<number>();
  let links = 0;

  function linkAt(at: number): LinkEvent {
    return {
      from: sources[sourceOf[at]!]!,
      anchor: anchors[at]!,
      score: scores[at]!,
      hints: hints.get(at),
      sitemap: sitemaps.has(at) || undefined,
    };
  }

  return {
    batchId,
    targets: () => lastTo.keys(),
    get links(): number {
      return links;
    },
    linksOf(target) {
      const found: LinkEvent[] = [];
      for (let at = lastTo.get(target) ?? NONE; at !== NONE; at = before[at]!) found.push(linkAt(at));
      return found.reverse();
    },
    add(target, from, { anchor, score, hints: said, sitemap }) {
      if (sources[sources.length - 1] !== from) sources.push(from);
      const at = before.push(lastTo.get(target) ?? NONE) - 1;
      lastTo.set(target, at);
      sourceOf.push(sources.length - 1);
      anchors.push(anchor);
      scores.push(score);
      if (said) hints.set(at, said);
      if (sitemap) sitemaps.add(at);
      links += weightOf(target.length + anchor.length);
    },
  };
}
