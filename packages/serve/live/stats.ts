import { problemOf, type Problem } from '../http/errors.js';
import type { CrawlStatus } from '../source.js';

/** The figures of one moment, or why there are none. */
export interface Reading {
  readonly status?: CrawlStatus;
  /** Why the last question had no answer; `status` is then the last that had one. */
  readonly problem?: Problem;
}

/** Milliseconds for which all that ask get the same figures: what one page, its events and the metrics show agrees. */
const SAME_MS = 250;

/** Milliseconds that they are waited for: the process that has the table open may be stopped, or very busy. */
const WAIT_MS = 2_000;

const LATE: Problem = {
  status: 503,
  code: 'LATE',
  message: 'The process that has the table open does not answer in time: it is very busy, or stopped',
};

/** What {@link createStats} takes. */
export interface StatsOptions {
  /** Gets why there are no figures. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
  /** Milliseconds that an answer is waited for. Default: 2,000. */
  readonly wait?: number;
}

/**
 * Reads the figures for all who show them, and asks the process that has the table open no more than four times a second. Where it
 * does not answer within two seconds, all get the last figures with that problem, until it does.
 */
export function createStats(read: () => Promise<CrawlStatus>, options: StatsOptions = {}) {
  const { onError = () => undefined, now = () => performance.now(), wait = WAIT_MS } = options;
  let last: Reading = {};
  let readAt = -Infinity;
  /** The question that has no answer yet. */
  let asked: Promise<void> | undefined;
  let reading: Promise<Reading> | undefined;

  function failed(problem: Problem): void {
    last = { ...(last.status && { status: last.status }), problem };
  }

  async function ask(): Promise<void> {
    try {
      last = { status: await read() };
    } catch (error) {
      failed(problemOf(error));
      onError(error);
    }
    readAt = now();
  }

  async function readNow(): Promise<Reading> {
    asked ??= ask().finally(() => (asked = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), wait)));
    const first = await Promise.race([asked, late]);
    clearTimeout(timer);
    if (first === 'late') {
      failed(LATE);
      readAt = now();
    }
    return last;
  }

  return {
    /** It never rejects. */
    read(): Promise<Reading> {
      if (now() - readAt < SAME_MS) return Promise.resolve(last);
      return (reading ??= readNow().finally(() => (reading = undefined)));
    },
  };
}

/** As {@link createStats} makes it. */
export type Stats = ReturnType<typeof createStats>;
