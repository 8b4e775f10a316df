import type { Robots } from '../../fetch/index.js';
import { FRONTIER_FIELDS, type PageChange, type PageRow } from '../../../webtable/index.js';
import type { LargeBodies } from './large-bodies.js';
import type { ProxyWatch } from '../requests/proxy-watch.js';
import type { HostBackoff } from '../hosts/host-backoff.js';
import type { QueueDelays } from '../hosts/queue-delays.js';
import type { QueueNames } from '../hosts/queue-name.js';
import type { SeedHosts } from '../hosts/seed-hosts.js';
import type { Tracker } from '../reporting/tracker.js';

/** What fetching a page reads of its row. */
export const FETCH_FIELDS = [
  'marks',
  'distance',
  'redirectDepth',
  'protocolStatus',
  'parseStatus',
  'signature',
  'newSignature',
  'sitemap',
  'contentAt',
  'contentVersions',
  'cutLinks',
] as const;
/** What generate reads of a row: a row that fetch cannot read must not get into a batch. */
export const SELECTION_FIELDS = [...FRONTIER_FIELDS, 'status', 'cash', ...FETCH_FIELDS] as const;

/** A page to fetch, with what the fetch needs of its row. */
export type FetchItem = PageRow<(typeof FETCH_FIELDS)[number]> & {
  /** How often this run has asked for it, or for its robots.txt, in vain. */
  readonly tries?: number;
  /** This run has seen that it is a sitemap of more than `http.contentLimit`. */
  readonly isLarge?: true;
};

/** What all pages of a fetcher share. */
export interface FetchTools {
  readonly robots: Robots;
  readonly seedHosts: SeedHosts;
  readonly backoff: HostBackoff;
  readonly delays: QueueDelays;
  readonly largeBodies: LargeBodies;
  readonly proxy: ProxyWatch;
  readonly queueNames: QueueNames;
  /** When a fetch on this table may last have asked the hosts of a queue, by `performance.now`. */
  readonly since: (queue: string) => number;
  /** Origins whose robots.txt is to be asked for by somebody else, and which wait for that. */
  readonly elsewhere: Set<string>;
  /** Resolves when the queues are held, and hosts may be asked; false where that is too late. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** What came of a page, ready to be stored. */
export interface FetchedPage {
  /** All but the marks, which say which batch the page is in from now on. */
  readonly change: Omit<PageChange, 'marks'>;
  readonly isParsed: boolean;
  /** The queue that its host is in. */
  readonly queue: string;
}

/** The fetch of one batch, as its pages see it. */
export interface FetchRun extends FetchTools {
  readonly tracker: Tracker;
  readonly batchId: string;
  readonly parse: boolean;
  /** The version of the rules by which the batch was selected. */
  readonly rules: string | undefined;
  readonly queues: {
    push(queue: string, item: FetchItem): void;
    putBack(queue: string, item: FetchItem): void;
    setDelay(queue: string, seconds: number): void;
    pause(queue: string, seconds: number): void;
    suspend<R>(queue: string, wait: Promise<R>): Promise<R>;
  };
  /** Stores a page with its marks, in one row change. @returns false where the batch does not hold it any more */
  store(page: FetchedPage): Promise<boolean>;
  /** Puts a row into its queue that has joined the batch as the target of a redirect. */
  join(queue: string, item: FetchItem): void;
  /** Says to whoever has a slot that a row in it has joined the batch. */
  joinElsewhere(slot: string): Promise<void>;
  /** Notes that a page of a queue waits for what somebody else does. */
  waits(queue: string): void;
  /** Ends requests in flight, when the run has to stop. */
  readonly giveUp: AbortSignal;
  /** Keys of rows that join the batch as targets of redirects during this run, from before they get their mark on. */
  readonly joined: Set<string>;
}
