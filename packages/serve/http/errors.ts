import { CrawlError, ERROR_CODES, type ErrorCode } from '../../errors/index.js';

/**
 * A failure, for a page or as JSON. Any client may see the data of a failure: there is no path of this machine, and nothing about other
 * processes.
 */
export interface Problem {
  readonly status: number;
  /** A code of `ERROR_CODES`, or a code for HTTP such as `NOT_FOUND`. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Codes whose messages are about the request and contain only data of the client. */
const WRONG_REQUEST: ReadonlySet<string> = new Set(['USAGE', 'BAD_URL']);

/**
 * Turns a failure into an HTTP status: 400 for a wrong request, 503 if the operator must do something first, and 500 for all others. For a
 * wrong request, the client gets the message. For other failures, the client gets the meaning of the code and a hint, and the message is
 * only for the log.
 */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof CrawlError) || error.code === 'INTERNAL') {
    return { status: 500, code: 'INTERNAL', message: 'Something failed here. The log of this server has the details.' };
  }
  const { code, message, hint } = error;
  const more = hint !== undefined && { hint };
  return WRONG_REQUEST.has(code)
    ? { status: 400, code, message, ...more }
    : { status: 503, code, message: meaningOf(code), ...more };
}

/** Returns the meaning of a code, without the consequences, which are in the hint. */
export function meaningOf(code: ErrorCode): string {
  return ERROR_CODES[code].meaning.split(';')[0]!;
}
