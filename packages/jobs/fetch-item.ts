import type { FetchQueues, Robots } from '../fetch/index.js';
import type { PageChange, PageRow } from '../../webtable/index.js';
import type { HostBackoff } from './host-backoff.js';
import type { QueueDelays } from './queue-delays.js';
import type { QueueNames } from './queue-name.js';
import type { SeedHosts } from './seed-hosts.js';
import type { Tracker } from './tracker.js';

/** What fetching a page reads of its row. */
export const FETCH_FIELDS = [
  'marks',
  'distance',
  'redirects',
  'protocolStatus',
  'parseStatus',
  'signature',
  'newSignature',
] as const;
/** A page to fetch, with what the fetch needs of its row. */
export type FetchItem = PageRow<(typeof FETCH_FIELDS)[number]> & {
  /** How often this run has asked for it, or for its robots.txt, in vain. */
  readonly tries?: number;
};

/** What the pages of one fetch share. */
export interface FetchRun {
  readonly batchId: string;
  readonly parse: boolean;
  readonly tracker: Tracker;
  readonly write: (change: PageChange) => Promise<void>;
  readonly robots: Robots;
  readonly seedHosts: SeedHosts;
  readonly backoff: HostBackoff;
  readonly delays: QueueDelays;
  readonly queues: FetchQueues<FetchItem>;
  readonly queueNames: QueueNames;
  /** When a fetch on this table may last have asked anyone, by `performance.now`. */
  readonly since: number;
  /** Ends requests in flight, when the run has to stop. */
  readonly giveUp: AbortSignal;
  /** Rows that joined the batch as targets of redirects during this run. */
  readonly joined: Set<string>;
  /** Some page was not fetched again because this batch has fetched it. */
  passedOver: boolean;
}
