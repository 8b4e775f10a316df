import { rowKeyOf } from '../../../webtable/index.js';
import type { LinkHints } from '../parsing/link-hints.js';
import type { LinkChunk } from './link-chunks.js';

/** The data that all links of a page share. */
export interface LinkSource {
  /** The row key of the page. */
  readonly source: string;
  readonly chunk: LinkChunk;
  /** The distance that the target of a link has through this page. Infinity if the distance of the page is unknown. */
  readonly distance: number;
  /** Number of consecutive redirects from this page to the target. 0 if the page is not a redirect. */
  readonly redirectDepth: number;
}

/** The data of a single link. */
interface LinkDetails {
  readonly anchor: string;
  readonly score: number;
  /** Hints of a sitemap or feed about the target. Absent: no hints. */
  readonly hints?: LinkHints | undefined;
  /** Whether the link names its target as a sitemap. */
  readonly sitemap?: true | undefined;
}

/** A link with the data of its page. */
export interface LinkEvent extends LinkDetails {
  readonly from: LinkSource;
}

/** Links by the rows to which they lead. */
export interface LinksByTarget {
  /** The row keys of all targets. */
  targets(): Iterable<string>;
  /**
   * Returns the links to a row in the order in which they were found. Each call makes a new list.
   * @param target a row key
   */
  linksOf(target: string): readonly LinkEvent[];
}

/** Links of consecutive pages of a batch, grouped by target. A slice has as many whole chunks as fit into memory. */
export interface LinkSlice extends LinksByTarget {
  /** Number of links in the slice. A long link counts as several links. */
  readonly links: number;
  /** Returns the row key of a URL. It is computed once for each URL. */
  keyOf(url: string): string;
  /** @param source the page of the link; pass the same object for all links of a page */
  add(target: string, source: LinkSource, link: LinkDetails): void;
}

const COMMON_LENGTH = 200;
const NONE = -1;

/**
 * Returns the weight of a link. A long link counts as several links.
 * @param length number of characters of its target and its anchor
 */
export function weightOf(length: number): number {
  return Math.ceil(length / COMMON_LENGTH);
}

/**
 * Creates an empty slice. The data of links is in parallel arrays. An object for each link would live as long as the slice. Then garbage
 * collection would take a quarter of the time of updatedb.
 */
export function createLinkSlice(): LinkSlice {
  /** For each target, the index of its last link. `before[i]` is the index of the previous link to the target of link i (a linked list). */
  const lastTo = new Map<string, number>();
  const before: number[] = [];
  const keys = new Map<string, string>();
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
    targets: () => lastTo.keys(),
    get links(): number {
      return links;
    },
    linksOf(target) {
      const found: LinkEvent[] = [];
      for (let at = lastTo.get(target) ?? NONE; at !== NONE; at = before[at]!) found.push(linkAt(at));
      return found.reverse();
    },
    keyOf(url) {
      let key = keys.get(url);
      if (key === undefined) keys.set(url, (key = rowKeyOf(url)));
      return key;
    },
    add(target, source, { anchor, score, hints: said, sitemap }) {
      if (sources[sources.length - 1] !== source) sources.push(source);
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
