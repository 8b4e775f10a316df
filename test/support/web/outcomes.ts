import type { FetchOutcome } from '../../../packages/webcrawl/internal.js';

/** A page in the form of a protocol plugin's answer. */
export function content(text: string, more: Partial<Extract<FetchOutcome, { kind: 'content' }>> = {}): FetchOutcome {
  return {
    kind: 'content',
    code: 'success',
    http: 200,
    body: Buffer.from(text),
    truncated: false,
    contentType: 'text/html',
    ...more,
  };
}

/** The answer for a missing URL, such as a missing robots.txt. */
export const ABSENT: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
