import type { ContentLocation, ContentRecord } from '../content/content-store.js';
import type { Mark, Status } from '../schema.js';

/** A link as found in a page: absolute normalised URL, and the text of the first link to it. */
export interface Outlink {
  readonly url: string;
  readonly anchor: string;
  /** How often the target changes, in seconds, as a sitemap of its own host says. */
  readonly changeInterval?: number;
  /** When the target last changed, in ms since the epoch, as a sitemap or feed of its own host says. */
  readonly lastModified?: number;
  /** Of the target among the pages of its host, 0 to 1, as a sitemap of that host says. */
  readonly priority?: number;
  /** An index of sitemaps names the target as one. */
  readonly sitemap?: true;
}

/** A link to a page. `score` is what the source handed on when it was last updated. */
export interface Inlink {
  readonly url: string;
  readonly anchor: string;
  readonly score: number;
}

/** What JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Fields of a page that plugins add, by name. */
export type CustomFields = Readonly<Record<string, JsonValue>>;

/** How the last fetch ended. */
export interface ProtocolStatus {
  /** One of `PROTOCOL_CODES`, or of the protocol of a plugin: `success`, `moved`, `not_found`, `timeout`, … */
  readonly code: string;
  /** The HTTP status, where there was an answer. */
  readonly http?: number;
  /** One line for people; untrusted. */
  readonly message?: string;
  /** `Last-Modified` of the answer, in milliseconds since the epoch. */
  readonly lastModified?: number;
  /** `ETag` of the answer. */
  readonly etag?: string;
  /** The body is not whole: it was longer than `http.contentLimit`, ended early, or is a part of one. */
  readonly truncated?: boolean;
}

/** How the last parse ended. */
export interface ParseStatus {
  /** One of `PARSE_CODES`, or of the parser of a plugin: `success`, or why there is no result. */
  readonly code: string;
  /** One line for people; untrusted. */
  readonly message?: string;
  readonly noindex?: boolean;
  readonly nofollow?: boolean;
  /** No copy of its text may be shown. */
  readonly noarchive?: boolean;
  /** Characters of its text that may be shown where it is found; absent: any. */
  readonly maxSnippet?: number;
  /** The canonical URL that the page names, normalised. */
  readonly canonical?: string;
  /** The parser's character encoding, a WHATWG name. */
  readonly charset?: string;
}

/**
 * All that a row can hold. Every field may be absent. In brackets the jobs that write a field on a row that is there
 * (law: a cell has one owner). Of two at the most one can be at work on a row: fetch, parse and the closing part of
 * updatedb only on rows of their batch, one after the other; and what links add (score, cash, distance, linkedUpTo, inlinks)
 * is written by updatedb and inject in turns, whoever holds the row. Who makes a row fills it: inject, updatedb, or fetch
 * for the target of a redirect and for the sitemaps that a robots.txt names.
 */
export interface Page {
  /** What is known of the page. [fetch; updatedb at the end of the batch] */
  status: Status;
  /** When the page is due, in ms since the epoch. [updatedb, of a linked row only while no batch holds it; inject when
   * it overwrites or tries a denied seed again; crawl when it refetches, of a row that no batch holds]
   */
  dueAt: number;
  /** When it was last fetched, in ms since the epoch. [fetch] */
  fetchedAt: number;
  /** Seconds between fetches. [updatedb; inject when it updates] */
  fetchInterval: number;
  /** Failed fetches since the last that worked. [updatedb] */
  retries: number;
  /** When its content last changed as far as known, in ms since the epoch. [updatedb] */
  modifiedTime: number;
  /** The importance; generate takes the highest first. [updatedb; inject when it updates; rules apply] */
  score: number;
  /** Score received and not handed on yet. [updatedb; inject when it updates] */
  cash: number;
  /**
   * The part of `cash` that its batch hands on, fixed when the row is selected; it stays until the next selection where anything
   * was handed on. [generate; fetch for a target that joins; updatedb]
   */
  cashInFlight: number;
  /** Fewest links from a seed. [updatedb; inject, where it becomes 0] */
  distance: number;
  /**
   * The distance by which it handed links on, where the links that it got with its release have lowered it; Infinity where none was
   * known. [updatedb]
   */
  distanceInFlight: number;
  /** Digest of the content at the last updatedb, hex. [updatedb] */
  signature: string;
  /** The digest before that, hex. [updatedb] */
  prevSignature: string;
  /** Digest of what was parsed in the batch under way, hex. [parse; fetch and updatedb remove it] */
  newSignature: string;
  /** How the last fetch ended. [fetch] */
  protocolStatus: ProtocolStatus;
  /** How the last parse ended. [parse; fetch removes it with the body it spoke of] */
  parseStatus: ParseStatus;
  /** The media type, lower-case, without parameters. [fetch] */
  contentType: string;
  /** Where a redirect leads, normalised; absent when the target was rejected. [fetch; parse for a meta refresh] */
  redirectTarget: string;
  /** Redirects in a row that led here. [who makes the row] */
  redirectDepth: number;
  /**
   * The last source whose links were added, by open batch and slot (`<batch id>/<slot>`): its queue and its row key, which is
   * the order in which updatedb adds them. `<batch id>/first` of a useful page that links of the batch have made: the row key of the
   * first page that links to it. [updatedb]
   */
  linkedUpTo: Readonly<Record<string, string>>;
  /**
   * At least the number of inlinks stored: a link that is found again on its page counts again, until the inlinks are
   * trimmed. For people see {@link inlinkCount}. [updatedb]
   */
  inlinkBound: number;
  /** A robots.txt, an index of sitemaps or a seed named it as a sitemap. Never taken back. [fetch; updatedb; inject] */
  sitemap: true;
  /**
   * What refused it when generate last met it: it is met again when that has changed. [generate, updatedb; whoever changes
   * status, distance or sitemap removes it]
   */
  refusedBy: string;
  /** What the seed said of the page. [inject] */
  metadata: Readonly<Record<string, string>>;
  /** Links of the page, each URL once. [parse] */
  outlinks: readonly Outlink[];
  /** Links to the page, in order of the source's row key. [updatedb] */
  inlinks: readonly Inlink[];
  /** How many inlinks are stored: pages that link here, or did. Counted from them when it is read, so nothing writes it. */
  inlinkCount: number;
  /** The title, as text. [parse] */
  title: string;
  /** The text of the page, without markup. [parse] */
  text: string;
  /** A BCP 47 tag as the page states it. [parse] */
  language: string;
  /** The headings of the page in order, as text. [parse] */
  headings: readonly string[];
  /** What the page says of itself: meta tags and the like. [parse] */
  pageMetadata: Readonly<Record<string, string>>;
  /** What `onPage` of the plugins returned for the page. [parse] */
  custom: CustomFields;
  /** Response headers, names in lower case. [fetch] */
  headers: Readonly<Record<string, string>>;
  /** Where the body is in the content store. [fetch; compact] */
  contentAt: ContentLocation;
  /** Where earlier bodies are that `db.keepVersions` keeps, newest first. [fetch; compact] */
  contentVersions: readonly ContentLocation[];
  /** Its PageRank among all pages; all ranks together are 1, unless mass is dropped. [rank] */
  rank: number;
  /** The PageRank of its host among all hosts. [rank] */
  hostRank: number;
  /** The URL of the page that is kept of those with the same or nearly the same text; absent on that page itself. [dedup] */
  duplicateOf: string;
  /**
   * Whether a rule says that its URL is worth having; absent where there was no such rule when that was last decided. [who makes the
   * row; inject when it updates; rules apply]
   */
  fit: boolean;
  /**
   * The part of `score` that it has for being fit, or for not being it; that of a page that is not, and not fetched yet, is as if it
   * were where enough pages like it led to such. Absent for none. [as `fit`; updatedb]
   */
  fitBonus: number;
  /** How many links of the page rules have cut, by the id of the rule; absent for none. [parse] */
  cutLinks: Readonly<Record<string, number>>;
  /** Bytes of the last body that was received, content codings undone, whether it was stored or not. [fetch] */
  bodyBytes: number;
  /** How long the last request took, in milliseconds, without the wait for its turn; absent where none was made. [fetch] */
  fetchMs: number;
  /** The body, content codings undone. Read from where `contentAt` says; written as the `record` of a change. */
  content: Uint8Array;
  /** The marks that are set, with the batch id each holds. [each job its own] */
  marks: Readonly<Partial<Record<Mark, string>>>;
}

/** The name of a field of a page. */
export type Field = keyof Page;

/** A row as read: the fields that were asked for, each absent where the row has none. Others do not compile. */
export type PageRow<F extends Field> = {
  readonly key: string;
  /** What could not be decoded; such fields are absent here and untouched in the table. */
  readonly damaged?: readonly string[];
  /** Differs after every change; only of a store that others change without its locks. */
  readonly version?: string;
} & { readonly [K in F]?: Page[K] };

/** Fields that `set` and `unset` take: all but those written cell by cell, what is counted from these, and the body. */
export type PlainField = Exclude<Field, 'marks' | 'inlinks' | 'inlinkCount' | 'content'>;

/** The cells of fields, as they are stored. */
export type EncodedFields = ReadonlyMap<PlainField, Uint8Array>;

/** One atomic change of one row; what is not named stays. */
export interface PageChange {
  readonly key: string;
  readonly set?: { readonly [K in PlainField]?: Page[K] };
  /** As `set`, of values that `encodeFields` has encoded already. A field is named in one of the two only. */
  readonly encoded?: EncodedFields;
  readonly unset?: readonly PlainField[];
  /** null removes a mark. */
  readonly marks?: { readonly [M in Mark]?: string | null };
  /** Appended to the content store before the row is changed. A response is the body of the row from then on: `contentAt`. */
  readonly record?: ContentRecord;
  /** What the row points at now and will not any more. */
  readonly discard?: readonly ContentLocation[];
  /** By the row key of the source; null removes an inlink. */
  readonly inlinks?: ReadonlyMap<string, { readonly anchor: string; readonly score: number } | null>;
}
