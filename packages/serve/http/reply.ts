import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Html } from './html.js';

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: OutgoingHttpHeaders;
  /**
   * `revalidate`: the client may cache the response, but must revalidate it by its ETag. `day`: the client may cache the response for a
   * day. Default: the response is not cached.
   */
  readonly cache?: 'revalidate' | 'day';
}

/** A response that is sent in pieces. Its function is called with the response when the head may be sent. */
export interface Stream {
  readonly stream: (response: ServerResponse) => void;
}

const PAGE = 'text/html; charset=utf-8';

export function pageReply(body: Html, { status = 200, ...rest }: Partial<Omit<Reply, 'body' | 'type'>> = {}): Reply {
  return { status, type: PAGE, body: body.toString(), ...rest };
}

export function jsonReply(value: unknown, status = 200, type = 'application/json; charset=utf-8'): Reply {
  return { status, type, body: `${JSON.stringify(value)}\n` };
}

export function textReply(text: string, status = 200): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** Returns a redirect, which the client follows with GET. */
export function redirect(location: string): Reply {
  return { status: 303, type: 'text/plain; charset=utf-8', body: '', headers: { location } };
}
