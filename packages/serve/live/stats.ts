import { problemOf, type Problem } from '../http/errors.js';
import type { ServedStatus } from '../source.js';

/** The figures of one moment, or why there are none. */
export interface Reading {
  readonly status?: ServedStatus;
  /** Why the last question had no answer; `status` is then the last that had one. */
  readonly problem?: Problem;
}

/** Milliseconds for which all that ask get the same figures: what one page, its events and the metrics show agrees. */
const SAME_MS = 250;

/** Reads the figures for all who show them, and asks the process that has the table open no more than four times a second. */
export function createStats(read: () => Promise<ServedStatus>, now: () => number = () => performance.now()) {
  let last: Reading = {};
  let readAt = -Infinity;
  let reading: Promise<Reading> | undefined;

  async function readNow(): Promise<Reading> {
    try {
      last = { status: await read() };
    } catch (error) {
      last = { ...(last.status && { status: last.status }), problem: problemOf(error) };
    }
    readAt = now();
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
