import { CrawlError, messageOf } from '../../errors/index.js';

/** What went wrong, for a person or as JSON. */
export interface Problem {
  readonly status: number;
  /** One of the codes of the README; `NOT_FOUND` and the like where HTTP has the case. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

const WRONG_REQUEST: ReadonlySet<string> = new Set(['USAGE', 'BAD_URL']);

/** A failure as a status of HTTP: 400 where the request is wrong, 503 where something must be done here first, else 500. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof CrawlError)) {
    return { status: 500, code: 'INTERNAL', message: `expected to answer, found: ${messageOf(error)}` };
  }
  const { code, message, hint } = error;
  const status = WRONG_REQUEST.has(code) ? 400 : code === 'INTERNAL' ? 500 : 503;
  return { status, code, message, ...(hint !== undefined && { hint }) };
}
