import type { ErrorCode } from '../../errors/index.js';
import type { Findings, LargeSection } from './findings.js';

/** Options of every job. */
export interface JobOptions {
  /** If it aborts, the job starts no more work, ends its running work and returns its report. */
  readonly signal?: AbortSignal;
  /** Called with the progress, at most a few times per second. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The progress of a job, for the terminal, and for `status` in another process. Plain data that JSON can hold. */
export interface Progress {
  readonly job: string;
  readonly batchId?: string;
  /** The round of a crawl, from 1 on. It is 0 while the crawl injects seeds and finishes open batches. */
  readonly round?: number;
  /** Rows done so far. */
  readonly done: number;
  /** The number of rows after which the job ends: the size of a batch, or a limit from the options. Absent for a crawl without a limit. */
  readonly total?: number;
  /** Bytes of received bodies, after content coding is removed. Only for jobs that fetch. */
  readonly bytes?: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Number of failures by reason. These numbers are also in `counters`. */
  readonly errors: Readonly<Record<string, number>>;
  /** Seconds since the job began. The list of running jobs adds `seconds` and the rates. */
  readonly seconds?: number;
  /** Rows done per second, over the last ten seconds. */
  readonly rate?: number;
  /** Bytes received per second, over the last ten seconds. Only for jobs that fetch. */
  readonly byteRate?: number;
  /** Number of known pages that are not fetched yet: pages of open batches, and pages that were due at the last count. Only for a crawl. */
  readonly toGo?: number;
  /** The requests in progress. Only for jobs that fetch. */
  readonly fetching?: FetchingStatus;
}

/** The current work of a fetcher. Its URLs and hosts are untrusted text. */
export interface FetchingStatus {
  /** Number of pages in work. The work includes the request for robots.txt and the parse. */
  readonly inFlight: number;
  /** Maximum of `inFlight`. */
  readonly threads: number;
  /** Number of queues (hosts, domains or IPs) whose pages wait for their delay, a back-off or a free request. */
  readonly waiting: number;
  /** Number of hosts whose back-off is longer than a fetch waits. */
  readonly setAside: number;
  /** The part of a site that has most of the pages of this run. Absent: there is no such part. */
  readonly largeSection?: LargeSection;
  /** The pages that have been in work for the longest time, at most 10. `seconds`: the time since the work began. */
  readonly pages: readonly { readonly url: string; readonly seconds: number }[];
  /** Hosts that are set aside, at most 10. `seconds`: the time until the next request. `code`: the last failure. */
  readonly hosts: readonly { readonly host: string; readonly seconds: number; readonly code: string }[];
}

/** A failed job that is retried. A crawl runs such a job in parallel to its rounds. Plain data that JSON can hold. */
export interface JobFailure {
  readonly job: string;
  /** The code of the last error; INTERNAL for an unknown error. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  /** Number of consecutive failures. */
  readonly times: number;
  /** When the first of these failures occurred, in ms since the epoch. */
  readonly since: number;
  /** The earliest time of the next attempt, in ms since the epoch. */
  readonly retryAt: number;
}

/** The result of every job. Findings are only in reports of jobs that fetch. `C`: the counters of the job. */
export interface Report<C = Readonly<Record<string, number>>> extends Findings {
  readonly job: string;
  readonly batchId?: string;
  readonly seconds: number;
  /** Numbers of rows or links, by outcome. Counters that are zero are left out. */
  readonly counters: C;
  /** Whether the signal ended the job before all work was done. If so, the same call continues the work. */
  readonly interrupted?: boolean;
}
