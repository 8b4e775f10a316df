import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Html } from './html.js';

/** What a client gets. */
export interface Answer {
  readonly status: number;
  /** The media type, with its parameters. */
  readonly type: string;
  readonly body: string;
  readonly headers?: OutgoingHttpHeaders;
  /** `revalidate`: may be kept, and is asked for again with its ETag. `day`: kept for a day. Default: not kept. */
  readonly cache?: 'revalidate' | 'day';
}

/** An answer that goes on: takes the response when its head may be sent. */
export interface Stream {
  readonly stream: (response: ServerResponse) => void;
}

const PAGE = 'text/html; charset=utf-8';

/** A page of ours. */
export function pageAnswer(body: Html, { status = 200, ...rest }: Partial<Omit<Answer, 'body' | 'type'>> = {}): Answer {
  return { status, type: PAGE, body: body.toString(), ...rest };
}

/** A value as JSON. */
export function jsonAnswer(value: unknown, status = 200, type = 'application/json; charset=utf-8'): Answer {
  return { status, type, body: `${JSON.stringify(value)}\n` };
}

/** One line or more, plain. */
export function textAnswer(text: string, status = 200): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** Sends the client elsewhere, by GET. */
export function redirect(location: string): Answer {
  return { status: 303, type: 'text/plain; charset=utf-8', body: '', headers: { location } };
}
