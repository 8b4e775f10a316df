import type { Robots } from '../../fetch/index.js';
import type { PageChange, PageRow } from '../../../webtable/index.js';
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
] as const;
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
  /** When a fetch on this table may last have asked anyone, by `performance.now`. */
  readonly since: number;
}

/** The fetch of one batch, as its pages see it. */
export interface FetchRun extends FetchTools {
  /** Counts for what is left, after a split too. */
  readonly tracker: Omit<Tracker, 'report' | 'add' | 'progress'>;
  /** Changes when what is left is split off, which waits for the turn `rows`; so do not keep it over an await elsewhere. */
  readonly batchId: string;
  readonly parse: boolean;
  readonly queues: {
    push(queue: string, item: FetchItem): void;
    putBack(queue: string, item: FetchItem): void;
    setDelay(queue: string, seconds: number): void;
    pause(queue: string, seconds: number): void;
    away<R>(queue: string, wait: Promise<R>): Promise<R>;
  };
  write(change: PageChange): Promise<void>;
  /** Ends requests in flight, when the run has to stop. */
  readonly giveUp: AbortSignal;
  /** Rows that joined the batch as targets of redirects during this run. */
  readonly joined: Set<string>;
}
