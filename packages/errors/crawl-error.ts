import { ERROR_CODES, type ErrorCode } from './codes.js';

/**
 * Marks errors of this class, so that another copy of the class recognises them. There may be two copies: one in the command, and one in
 * the module that a plugin imports.
 */
const MARK = Symbol.for('webcrawl.CrawlError');

/**
 * The only error class of webcrawl. The message says what is wrong. `hint`, if there is one, says what to do. `code` is stable and
 * documented. `details`, if there are any, are the figures of the message as data.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: object | undefined;

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass recognises only its own instances.
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
