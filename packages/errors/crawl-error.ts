import { ERROR_CODES, type ErrorCode } from './codes.js';

/**
 * The one error class of webcrawl. The message says what was expected and what was found; `hint`, where there is one,
 * says what to do. `code` is stable and documented.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** The exit status of the command for this error. */
  get exitCode(): number {
    return ERROR_CODES[this.code].exitCode;
  }
}
