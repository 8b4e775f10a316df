import { ERROR_CODES, type ErrorCode } from './codes.js';

/** By which an error of another copy of this class is known: the command, and what a plugin imports, are two. */
const MARK = Symbol.for('webcrawl.CrawlError');

/**
 * The one error class of webcrawl. The message says what was expected and what was found; `hint`, where there is one,
 * says what to do. `code` is stable and documented. `details`, where there are any, are the figures of the message as data.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: object | undefined;

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A class that extends this one knows its own only.
    if (this !== CrawlError) return super[Symbol.hasInstance](value);
    return typeof value === 'object' && value !== null && MARK in value;
  }

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown; details?: object } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
  }

  get [MARK](): true {
    return true;
  }

  /** The exit status of the command for this error. */
  get exitCode(): number {
    return ERROR_CODES[this.code].exitCode;
  }
}
