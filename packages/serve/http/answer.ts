import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Html } from './html.js';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: OutgoingHttpHeaders;
  /**
   * `revalidate`: the client may cache the answer, but must revalidate it by its ETag. `day`: the client may cache the answer for a day.
   * Default: the answer is not cached.
   */
  readonly cache?: 'revalidate' | 'day';
}

/** An answer that is sent in pieces. Its function is called with the response when the head may be sent. */
export interface Stream {
  readonly stream: (response: ServerResponse) => void;
}

const PAGE = 'text/html; charset=utf-8';

export function pageAnswer(body: Html, { status = 200, ...rest }: Partial<Omit<Answer, 'body' | 'type'>> = {}): Answer {
  return { status, type: PAGE, body: body.toString(), ...rest };
}

export function jsonAnswer(value: unknown, status = 200, type = 'application/json; charset=utf-8'): Answer {
  return { status, type, body: `${JSON.stringify(value)}\n` };
}

export function textAnswer(text: string, status = 200): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** Returns a redirect, which the client follows with GET. */
export function redirect(location: string): Answer {
  return { status: 303, type: 'text/plain; charset=utf-8', body: '', headers: { location } };
}
