import { createSeldom, deadline } from '../../util/index.js';
import { problemOf, type Problem } from '../http/errors.js';
import type { CrawlStatus } from '../source.js';

export interface Reading {
  readonly status?: CrawlStatus;
  /** Why the figures cannot be read now. If set, `status` has the last known figures. */
  readonly problem?: Problem;
}

/** So pages, events and metrics agree. */
const MAX_AGE_MS = 250;

/**
 * Maximum milliseconds to wait for figures. The limit is needed because the process that has the table open may be stopped, or very busy.
 */
const WAIT_MS = 2_000;

const LATE: Problem = {
  status: 503,
  code: 'LATE',
  message: 'The process that has the table open does not respond in time: it is very busy, or stopped',
};

interface StatsOptions {
  /** Called with the reason when the figures cannot be read. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
  /** Maximum milliseconds to wait for a response. Default: 2,000. */
  readonly wait?: number;
}

/**
 * Reads the figures for all readers, and asks the process that has the table open at most four times a second. If that process does not
 * respond within two seconds, all readers get the last figures and a problem, until the process responds again.
 */
export function createStats(read: () => Promise<CrawlStatus>, options: StatsOptions = {}) {
  const { onError = () => undefined, now = () => performance.now(), wait = WAIT_MS } = options;
  let last: Reading = {};
  /** The request for figures that has no response yet. */
  let asked: Promise<void> | undefined;

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
  }

  async function readNow(): Promise<Reading> {
    asked ??= ask().finally(() => (asked = undefined));
    await deadline(asked, wait, () => failed(LATE));
    return last;
  }

  /** `readSeldom` never rejects. */
  const { read: readSeldom } = createSeldom(readNow, { goodFor: MAX_AGE_MS, now });
  return { read: readSeldom };
}

export type Stats = ReturnType<typeof createStats>;
