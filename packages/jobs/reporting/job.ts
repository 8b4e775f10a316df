import type { ErrorCode } from '../../errors/index.js';

/** What every job takes. */
export interface JobOptions {
  /** When it aborts, the job starts nothing more, ends what is in flight and returns its report. */
  readonly signal?: AbortSignal;
  /** Called at most a few times a second. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far a job has got: what the terminal shows, and `status` of another process. Plain data, fit for JSON. */
export interface Progress {
  readonly job: string;
  readonly batchId?: string;
  /** The round of a crawl, from 1 on; 0 while it injects and finishes what was left open. */
  readonly round?: number;
  /** Rows done so far. */
  readonly done: number;
  /** Rows at which it ends: the size of a batch, or a limit that was given. A crawl without a limit has none. */
  readonly total?: number;
  /** Bytes of the bodies that were received so far, without their content coding; only of jobs that fetch. */
  readonly bytes?: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Those of the counters that say of a row that something failed, by reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** Since it began. Absent where a job is run without `CrawlContext.running`, as is `rate`. */
  readonly seconds?: number;
  /** Rows done per second, over the last ten seconds. */
  readonly rate?: number;
  /** Bytes received per second, over the last ten seconds; only of jobs that fetch. */
  readonly byteRate?: number;
  /** Rows of the table that are due, as of the last count; only of a crawl. */
  readonly due?: number;
  /** What is being asked of whom; only of jobs that fetch. */
  readonly fetching?: FetchingStatus;
}

/** What a fetcher is at. URLs and hosts are untrusted text. */
export interface FetchingStatus {
  /** Pages in work, robots.txt and parse included. */
  readonly inFlight: number;
  /** So many may be. */
  readonly threads: number;
  /** Queues (hosts, domains or IPs) that have pages and wait for their delay, a back-off or a thread. */
  readonly waiting: number;
  /** Hosts that are left alone for longer than a fetch waits. */
  readonly setAside: number;
  /** Of the pages in work those that take longest, at most 10; `seconds` since when. */
  readonly pages: readonly { readonly url: string; readonly seconds: number }[];
  /** Of the hosts set aside, at most 10; `seconds` until they may be asked again, `code` of their last failure. */
  readonly hosts: readonly { readonly host: string; readonly seconds: number; readonly code: string }[];
}

/** A job beside a crawl that failed, and is tried again. Plain data, fit for JSON. */
export interface JobFailure {
  readonly job: string;
  /** That of the last error; INTERNAL where it was none that is known. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** How often it has failed, one after the other. */
  readonly times: number;
  /** When it failed first, in ms since the epoch. */
  readonly since: number;
  /** When it is tried again, at the earliest. */
  readonly retryAt: number;
}

/** What every job returns. */
export interface Report {
  readonly job: string;
  readonly batchId?: string;
  readonly seconds: number;
  /** How many rows or links, by what became of them. Zero counts are left out. */
  readonly counters: Readonly<Record<string, number>>;
  /** The signal ended it before all was done; the same call goes on from here. */
  readonly interrupted?: boolean;
}
