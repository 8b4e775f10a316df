import type { FetchOutcome } from '../../../packages/webcrawl/index.js';

/** A page as a protocol plugin answers with it. */
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

/** What there is not, such as a robots.txt that nobody wrote. */
export const ABSENT: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
