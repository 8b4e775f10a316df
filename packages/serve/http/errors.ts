import { CrawlError, ERROR_CODES, type ErrorCode } from '../../errors/index.js';

/** What went wrong, for a person or as JSON. It holds no more than a stranger may know: no path of this machine, no other process. */
export interface Problem {
  readonly status: number;
  /** One of the codes of the README; `NOT_FOUND` and the like where HTTP has the case. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Their messages are about the request, and hold what the client sent. */
const WRONG_REQUEST: ReadonlySet<string> = new Set(['USAGE', 'BAD_URL']);

/**
 * A failure as a status of HTTP: 400 where the request is wrong, 503 where something must be done here first, else 500. Of all but a
 * wrong request the client gets what its code means and what to do; the message itself is for the log.
 */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof CrawlError) || error.code === 'INTERNAL') {
    return { status: 500, code: 'INTERNAL', message: 'Something failed here; the log of this server says what.' };
  }
  const { code, message, hint } = error;
  const more = hint !== undefined && { hint };
  return WRONG_REQUEST.has(code)
    ? { status: 400, code, message, ...more }
    : { status: 503, code, message: meaningOf(code), ...more };
}

/** What a code means, without what follows from it, which the hint says. */
export function meaningOf(code: ErrorCode): string {
  return ERROR_CODES[code].meaning.split(';')[0]!;
}
