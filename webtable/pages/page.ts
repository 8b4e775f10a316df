import type { ContentLocation, ContentRecord } from '../content/content-store.js';
import type { ChangedLinks, LoggedState, PageDigest } from './digest.js';
import type { InlinkCell } from './inlink-cell.js';
import type { Mark, Status } from '../schema.js';

/** A link as found in a page: its absolute normalised URL, and the text of the first link to that URL. */
export interface Outlink {
  readonly url: string;
  readonly anchor: string;
  /** Seconds between changes of the target, according to a sitemap of the target's host. */
  readonly changeInterval?: number;
  /** When the target last changed, in ms since the epoch, according to a sitemap or feed of the target's host. */
  readonly lastModified?: number;
  /** Priority of the target among the pages of its host, 0 to 1, according to a sitemap of that host. */
  readonly priority?: number;
  /** Whether a sitemap index names the target as a sitemap. */
  readonly sitemap?: true;
}

/** A link to a page. `score` is the score that the source distributed to the page when the source was last updated. */
export interface Inlink {
  readonly url: string;
  readonly anchor: string;
  readonly score: number;
}

/** A value that JSON can represent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Fields of a page that plugins add, by name. */
export type CustomFields = Readonly<Record<string, JsonValue>>;

/** A range of the text of a page: the UTF-16 units from `start` up to but not including `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
  /**
   * `prose`: the content that people read, and not menus and the like. The parser estimates this before it has seen the whole page.
   * `nosnippet`: the page forbids this range in snippets.
   */
  readonly kind: 'prose' | 'nosnippet';
}

/** How the last fetch ended. */
export interface ProtocolStatus {
  /** A code of `PROTOCOL_CODES`, or of a plugin's protocol: `success`, `moved`, `not_found`, `timeout`, … */
  readonly code: string;
  /** The HTTP status, if there was an answer. */
  readonly http?: number;
  /** One line for people; untrusted. */
  readonly message?: string;
  /** `Last-Modified` of the page, in milliseconds since the epoch. Only an answer with a page, or a 304, has it. */
  readonly lastModified?: number;
  /** `ETag` of the page. Only an answer with a page, or a 304, has it. */
  readonly etag?: string;
  /** The body is incomplete: it was longer than `http.contentLimit`, ended early, or is only a part. */
  readonly truncated?: boolean;
}

/** Where the language of a page comes from: the page states it, or it was detected from the text. */
export type LanguageSource = 'stated' | 'detected';

/** How the last parse ended. */
export interface ParseStatus {
  /** A code of `PARSE_CODES`, or of a plugin's parser: `success`, or why there is no result. */
  readonly code: string;
  /** One line for people; untrusted. */
  readonly message?: string;
  readonly noindex?: boolean;
  readonly nofollow?: boolean;
  /** The page asks that no copy of its text is shown. */
  readonly noarchive?: boolean;
  /** The page limits a snippet of its text to this number of characters; absent: no limit. */
  readonly maxSnippet?: number;
  /** The canonical URL that the page names, normalised. */
  readonly canonical?: string;
  /** The character encoding that the parser used, a WHATWG name. */
  readonly charset?: string;
  /** When the page was published, in ms since the epoch, as the page itself states. Not checked against any clock. */
  readonly publishedAt?: number;
  /** When the page last changed, in ms since the epoch, as the page itself states. Not checked against any clock. */
  readonly statedModifiedAt?: number;
  /** Number of pages of a PDF with missing text, because the characters of a font are unknown. */
  readonly textLost?: number;
  /** Number of pages of a PDF without text, such as scans. */
  readonly textless?: number;
}

/**
 * All fields of a row. Every field may be absent. In brackets are the jobs that write a field of an existing row (each cell has one owner).
 * Fetch, parse and the closing part of updatedb work on the rows of their batch, one after the other. updatedb and inject also write the
 * fields that links change (score, cash, distance, linkedUpTo, inlinks), even while a batch holds the row. These two jobs never run at the
 * same time on a row. The job that creates a row fills it: inject, updatedb, or fetch (for the target of a redirect, and for the sitemaps
 * that a robots.txt names).
 */
export interface Page {
  /** The status after the last fetch. [fetch; updatedb at the end of the batch] */
  status: Status;
  /**
   * When the page is due, in ms since the epoch. [updatedb; for a linked row only while no batch holds it. inject, when it overwrites a row
   * or retries a denied seed. crawl, when it refetches a row that no batch holds]
   */
  dueAt: number;
  /** When the page was last fetched, in ms since the epoch. [fetch] */
  fetchedAt: number;
  /** Seconds between two fetches of the page. [updatedb; inject when it updates] */
  fetchInterval: number;
  /** Failed fetches since the last successful one. [updatedb] */
  retries: number;
  /**
   * When the content last changed, in ms since the epoch, as far as known: by the page's own statement, else by `Last-Modified`, else by a
   * comparison of fetches. [updatedb]
   */
  modifiedAt: number;
  /** When the row was created, in ms since the epoch; absent on rows that are older than this field. [the job that creates the row] */
  firstSeenAt: number;
  /**
   * When the crawl last found a change at the URL, in ms since the epoch: the first answer, or a change of the change log of every kind but
   * `bytes`. A page that the log cannot compare has changed if its bytes have. It is the time of the updatedb that found the change. Absent
   * before the first answer. [updatedb]
   */
  changedAt: number;
  /**
   * When the crawl last found a change of any kind at the URL, in ms since the epoch, other bytes included. Absent before the first answer,
   * and on rows that were last fetched before this field existed: their `changedAt` is this time. [updatedb]
   */
  bytesChangedAt: number;
  /** The state of the URL after its last fetch: `gone`, `noindex`, or `redirect` with a digest of the target; absent for a page. [updatedb] */
  foundAs: string;
  /** The importance; generate selects the rows with the highest score first. [updatedb; inject when it updates; rules apply] */
  score: number;
  /** The score that the page received and did not distribute yet. [updatedb; inject when it updates] */
  cash: number;
  /**
   * The part of `cash` that the page distributes in its batch. It is fixed when the row is selected. Once some of this cash was
   * distributed, the field stays until the next selection. [generate; fetch for a target that joins; updatedb]
   */
  cashInFlight: number;
  /** The fewest links from a seed to the page. If a page gets a shorter path, its targets get theirs after its next fetch. [updatedb; inject sets 0] */
  distance: number;
  /**
   * The distance that updatedb used for the links of the page. Present only if the distance of the page became lower at its release.
   * Infinity if no distance was known. [updatedb]
   */
  distanceInFlight: number;
  /** Digest of the content at the last updatedb, hex. [updatedb] */
  signature: string;
  /** The digest of the content before `signature`, hex. [updatedb] */
  prevSignature: string;
  /** Digest of the content that was parsed in the current batch, hex. [parse; fetch and updatedb remove it] */
  newSignature: string;
  /** How the last fetch ended. [fetch] */
  protocolStatus: ProtocolStatus;
  /** How the last parse ended. [parse; fetch removes it together with the body] */
  parseStatus: ParseStatus;
  /** The media type, lower-case, without parameters. [fetch] */
  contentType: string;
  /** Where a redirect leads, normalised; absent if the target was rejected. [fetch; parse for a meta refresh] */
  redirectTarget: string;
  /** Number of redirects in a row that led to this URL. [the job that creates the row] */
  redirectDepth: number;
  /**
   * For each open batch and slot (`<batch id>/<slot>`): the queue and the row key of the last source whose links were added, in the order
   * in which updatedb adds links. If links of a batch have created the row of a relevant page, `<batch id>/first` holds the row key of the
   * first page that links to it. [updatedb]
   */
  linkedUpTo: Readonly<Record<string, string>>;
  /**
   * An upper bound for the number of stored inlinks. A link that is found twice is counted twice, until the inlinks are joined into one
   * cell. The exact number is {@link inlinkCount}. [updatedb]
   */
  inlinkBound: number;
  /**
   * The number of inlinks when they were last joined into one cell. A first change with many inlinks also sets this field. Absent if the
   * inlinks were never joined. [updatedb]
   */
  inlinksFolded: number;
  /** Whether a robots.txt, a sitemap index or a seed named the URL as a sitemap. Never removed. [fetch; updatedb; inject] */
  sitemap: true;
  /**
   * Why generate last refused the row. generate reconsiders the row after the cause has changed. [generate, updatedb; a job that changes
   * status, distance or sitemap removes this field]
   */
  refusedBy: string;
  /** Metadata that the seed gave for the page. [inject] */
  metadata: Readonly<Record<string, string>>;
  /** Links of the page, each URL once. [parse] */
  outlinks: readonly Outlink[];
  /** Links to the page, in order of the source's row key. [updatedb] */
  inlinks: readonly Inlink[];
  /**
   * Number of stored inlinks: pages that link to this page now, or did so earlier. The inlinks are counted at each read, so no job writes
   * this field.
   */
  inlinkCount: number;
  /** The title, as text. [parse] */
  title: string;
  /** The text of the page, without markup. [parse] */
  text: string;
  /**
   * The ranges of the text that are prose, or that must not appear in snippets. They are in order, without overlap, and fewer than 200.
   * Absent if no range is known. [parse]
   */
  textRanges: readonly TextRange[];
  /**
   * The language as a BCP 47 tag: stated by the page, else shown by frequent words of its text (see `languageSource`). For other pages,
   * exports and the index detect it from the text. [parse]
   */
  language: string;
  /** Where `language` comes from. Absent without a language, and on rows older than this field. [parse] */
  languageSource: LanguageSource;
  /** The headings of the page in order, as text. [parse] */
  headings: readonly string[];
  /** The metadata that the page states about itself, such as meta tags. [parse] */
  pageMetadata: Readonly<Record<string, string>>;
  /** What `onPage` of the plugins returned for the page. [parse] */
  custom: CustomFields;
  /** Response headers, names in lower case. [fetch] */
  headers: Readonly<Record<string, string>>;
  /** Where the body is in the content store. [fetch; compact] */
  contentLocation: ContentLocation;
  /**
   * Where the text record is in the content store. It has the fields text, textRanges, headings, outlinks and headers. Absent if the row has
   * none of them. Set by each change of one of these fields. [fetch; parse; compact]
   */
  textLocation: ContentLocation;
  /** The locations of earlier bodies that `db.keepVersions` keeps, newest first. [fetch; compact] */
  contentVersions: readonly ContentLocation[];
  /** The PageRank of the page among all pages. The sum over all pages is 1, or less if some rank is dropped. [rank] */
  rank: number;
  /** The PageRank of the page's host among all hosts. [rank] */
  hostRank: number;
  /** The URL of the page that represents all pages with the same or nearly the same text. Absent on that page itself. [dedup] */
  duplicateOf: string;
  /** When `duplicateOf` was last set, changed or removed, in ms since the epoch; absent if it was never set. [dedup] */
  duplicateAt: number;
  /**
   * Whether a `relevant` rule matches the URL. Absent if there was no such rule at the last check. [the job that creates the row; inject
   * when it updates; rules apply]
   */
  relevant: boolean;
  /** The part of `score` that depends on `relevant`. Absent if there is no such part. [like `relevant`] */
  relevantBonus: number;
  /** How many links of the page each rule has rejected, by the id of the rule; absent if no rule has rejected a link. [parse] */
  rejectedLinks: Readonly<Record<string, number>>;
  /** Size of the last received body in bytes, content codings undone, even if the body was not stored. [fetch] */
  bodyBytes: number;
  /** How long the last request took, in milliseconds, without the wait in its queue; absent if no request was made. [fetch] */
  fetchMs: number;
  /** The digest of the page that was parsed in the current batch. The change log compares it. [parse; fetch and updatedb remove it] */
  digest: PageDigest;
  /**
   * The stored links that the page which was parsed in the current batch has more and less than the logged page. Absent if they are the
   * same. The change log copies them. [parse; fetch and updatedb remove it]
   */
  changedLinks: ChangedLinks;
  /** The state of the page in the change log. [updatedb] */
  logged: LoggedState;
  /** The body, content codings undone. The body is read from the location `contentLocation`, and written as the `record` of a change. */
  content: Uint8Array;
  /** The marks that are set, with their batch ids. [each job writes its own mark] */
  marks: Readonly<Partial<Record<Mark, string>>>;
}

/** The name of a field of a page. */
export type Field = keyof Page;

/** A row as read. Its type has only the requested fields. A field is absent if the row does not have it. */
export type PageRow<F extends keyof Page> = {
  readonly key: string;
  /** Fields that could not be decoded. They are absent here and unchanged in the table. */
  readonly damaged?: readonly string[];
  /** The newest timestamp of the cells that were read. Present only on a store that several processes change at the same time. */
  readonly at?: number;
  /** The stored record of the row, which a change of the row takes along. Present only on such a store. */
  readonly record?: Uint8Array;
} & { readonly [K in F]?: Page[K] };

/** Fields that `set` and `unset` accept. Fields of several cells, counts of such cells, and the body are excluded. */
export type PlainField = Exclude<Field, 'marks' | 'inlinks' | 'inlinkCount' | 'content'>;

/** Fields that are not in the row, but in its text record. A read of one of them reads the record. */
export type TextField = 'text' | 'textRanges' | 'headings' | 'outlinks' | 'headers';

/** One atomic change of one row; fields that are not named stay as they are. */
export interface PageChange {
  readonly key: string;
  readonly set?: { readonly [K in PlainField]?: Page[K] };
  /** Like `set`, with values that `encodeFields` has already encoded. A field may be named in only one of the two. */
  readonly encoded?: Iterable<readonly [PlainField, Uint8Array]>;
  readonly unset?: readonly PlainField[];
  /** null removes a mark. */
  readonly marks?: { readonly [M in Mark]?: string | null };
  /**
   * A record that is appended to the content store before the row is changed. If the record is a response, `contentLocation` is set to the
   * location of the record, so the record becomes the body of the row.
   */
  readonly record?: ContentRecord;
  /**
   * Locations that the row no longer points at after this change. A change with a body and all text fields names the text record that it
   * replaces: the row is not read for it.
   */
  readonly discard?: readonly ContentLocation[];
  /** Inlinks to store as one cell, or as several if one would be too large. An inlink replaces an earlier one from the same source. */
  readonly inlinks?: InlinkCell;
}
