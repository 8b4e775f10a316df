import { FRONTIER_FIELDS, type PageChange, type PageRow } from '../../../webtable/index.js';
import type { OnFetched } from '../context.js';
import type { QueueNames } from '../hosts/queue-name.js';
import type { Requests } from '../requests/requests.js';
import type { LargeBodies } from './page/large-bodies.js';
import type { FindingsOfRun } from '../reporting/findings.js';
import type { Tracker } from '../reporting/tracker.js';

/** The fields of a row that fetch reads. */
export const FETCH_FIELDS = [
  'marks',
  'distance',
  'redirectDepth',
  'protocolStatus',
  'parseStatus',
  'signature',
  'newSignature',
  'sitemap',
  'contentLocation',
  'textLocation',
  'contentVersions',
] as const;
/** The fields that generate reads. The fields of fetch are among them. Therefore generate never selects a row that fetch cannot read. */
export const SELECTION_FIELDS = [...FRONTIER_FIELDS, 'status', 'cash', ...FETCH_FIELDS] as const;

/** A page to fetch, with the fields that fetch needs. */
export type FetchItem = PageRow<(typeof FETCH_FIELDS)[number]> & {
  /** Number of requests that failed in this run, for the page or for the robots.txt of its host. */
  readonly tries?: number;
  /** Whether this run found that the page is a sitemap larger than `http.contentLimit`. */
  readonly isLarge?: true;
  /** Whether this run found that the stored body of the page cannot be read. The page is then requested without a condition. */
  readonly hasLostBody?: true;
};

/** What all pages of a fetcher share. */
export interface FetchTools {
  readonly requests: Requests;
  readonly largeBodies: LargeBodies;
  readonly findings: FindingsOfRun;
  readonly onFetched: OnFetched;
}

/** The outcome of a page, ready to be stored. */
export interface FetchedPage {
  /** The change of the row without its marks. The marks are set later, because they depend on the batch to which the page moves. */
  readonly change: Omit<PageChange, 'marks'>;
  readonly isParsed: boolean;
  readonly queue: string;
}

/** The fetch of one batch, for the functions that fetch its pages. */
export interface FetchRun extends FetchTools {
  readonly queueNames: QueueNames;
  readonly tracker: Tracker;
  readonly batchId: string;
  readonly parse: boolean;
  /** The version of the rules with which generate selected the batch. */
  readonly rules: string | undefined;
  /** Puts a page back into its queue, as the next item or the last one. */
  again(queue: string, item: FetchItem, place: 'next' | 'last'): void;
  /** Stores a page with its marks in one row change. */
  store(page: FetchedPage): Promise<void>;
  /** Adds a redirect target to a queue. The target has already joined the batch. */
  join(queue: string, item: FetchItem): void;
  /** Aborts requests in flight when the run has to stop. */
  readonly giveUp: AbortSignal;
  /** Row keys of redirect targets that join the batch during this run. A key is added before the row gets the generate mark. */
  readonly joined: Set<string>;
}
