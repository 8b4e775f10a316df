import type { DelayInForce } from '../delay.js';

/** A planned round. */
export interface PlannedRound {
  /** From 1 on. 0 stands for the open batches, whose pages are fetched first. */
  readonly round: number;
  /** Number of selected pages. */
  readonly pages: number;
  /** Number of requests for a robots.txt that is not stored or is too old. */
  readonly robots: number;
  /** Number of selected pages that are not requested, by their outcome: `robots_denied`, … */
  readonly notRequested: Readonly<Record<string, number>>;
  /** Number of all requests: for pages, and for `robots`. */
  readonly requests: number;
  /** Number of queues with requests. */
  readonly queues: number;
  /** Minimum seconds of the round: until its slowest queue is done, and until all requests are done with `fetcher.threadsFetch` at a time. */
  readonly seconds: number;
  /** The queue that determines `seconds`. Absent if the number of parallel requests determines it. */
  readonly slowest?: string;
}

/** The requests of all rounds to one queue: a host, a domain or an address. */
export interface PlannedQueue {
  readonly queue: string;
  /** Number of requested pages. */
  readonly pages: number;
  /** Number of requests for a robots.txt. */
  readonly robots: number;
  readonly delay: DelayInForce;
  /**
   * Mean milliseconds of a response, from the last responses of the pages of the queue; without such responses, from those of all pages.
   * Absent if no response is known.
   */
  readonly meanMs?: number;
  /** Seconds that the requests take, including the rest of the back-off of its hosts. */
  readonly seconds: number;
}

/** The requests of the next rounds, and how long they take. Plain data that JSON can hold; names of queues may be untrusted. */
export interface CrawlPlan {
  /** The time of the plan, in ms since the epoch. */
  readonly now: number;
  /** The rounds that have pages. */
  readonly rounds: readonly PlannedRound[];
  /** Minimum seconds for all rounds, one after the other. Pages that the rounds will find are not included. */
  readonly seconds: number;
  /** The queues, the slowest first. There are at most `top`. */
  readonly queues: readonly PlannedQueue[];
  /** Number of all queues, also those that are not in the list. */
  readonly queueCount: number;
  /**
   * Number of pages that no round selects, by the counter of generate. For `host_backoff`, only due pages are counted; for other counters,
   * also pages that are not due.
   */
  readonly excluded: Readonly<Record<string, number>>;
  /** Number of pages that are due and may be selected, but are in none of these rounds. */
  readonly left: number;
  /** When the next page becomes due, apart from pages that are due already; in ms since the epoch. Absent if there is no such page. */
  readonly nextDueAt?: number;
}
