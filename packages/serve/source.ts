import type { TableStatus } from '../jobs/index.js';

/** A piece of a snippet, and whether it is what was asked for. */
export interface SnippetPart {
  readonly text: string;
  readonly hit: boolean;
}

/** One page that was found. Title, URL and text are untrusted. */
export interface FoundHit {
  readonly url: string;
  readonly title: string;
  readonly snippet: readonly SnippetPart[];
  /** BCP 47; empty or absent where it is not known. */
  readonly language?: string;
  /** In ms since the epoch; 0 where it is not known. */
  readonly fetchedAt: number;
  readonly modifiedTime?: number;
  /** Pages with nearly the same text, which are not shown. */
  readonly alike?: number;
  /** Pages of the same host, which are not shown. */
  readonly moreFromHost?: number;
  /** The query that shows them. */
  readonly hostQuery?: string;
}

/** What a search came to. */
export interface FoundHits {
  /** Pages found, of which at most a hundred are shown. */
  readonly total: number;
  /** Pages of hits that there are, when folded as asked for. Default: as many as the total fills, up to ten. */
  readonly pages?: number;
  readonly hits: readonly FoundHit[];
  readonly didYouMean?: string;
  /** What of the query was passed over, for people. */
  readonly notices?: readonly { readonly message: string }[];
  readonly seconds: number;
}

/** How to search. */
export interface SearchRequest {
  /** From 1 to 10. */
  readonly page: number;
  /** Fold pages that are alike, and more than two of a host. */
  readonly fold: boolean;
  readonly signal: AbortSignal;
}

/** The text of a page as it was crawled. All but the time is untrusted. */
export interface CachedText {
  readonly url: string;
  readonly title?: string;
  readonly text: string;
  /** BCP 47. */
  readonly language?: string;
  /** In ms since the epoch. */
  readonly fetchedAt?: number;
}

/** Another process, which has the table open. */
interface OtherProcess {
  readonly pid: number;
  readonly name: string;
}

/** The index of words. */
export interface IndexUse {
  readonly documents: number;
  /** On the disk. */
  readonly bytes: number;
  /** When it was last changed, in ms since the epoch. */
  readonly changedAt?: number;
}

/** What goes on at the table; the one object that all figures come from. */
export interface ServedStatus extends TableStatus {
  /** Absent where the table is open in this process. */
  readonly holder?: OtherProcess;
  /** Absent where there is no index. */
  readonly index?: IndexUse;
}

/** Where a server gets what it shows. All may reject, with a CrawlError where the reason is known. */
export interface ServeSource {
  search(query: string, request: SearchRequest): Promise<FoundHits>;
  /** Queries that begin so, the best first. */
  suggest(prefix: string): Promise<readonly string[]>;
  /** undefined: there is no such page, or it wants no copy to be shown. */
  cached(url: string): Promise<CachedText | undefined>;
  status(): Promise<ServedStatus>;
}
