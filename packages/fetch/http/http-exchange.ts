import type { Dispatcher } from 'undici';
import { createBodyBuffer, type BodyBuffer } from './body-buffer.js';
import type { RawHeaders } from './http-headers.js';
import { isLengthMismatch, networkCode, networkMessage, type NetworkCode } from './network-error.js';

/** One request as it goes out, with its limits. */
export interface Exchange {
  readonly url: URL;
  /** Name, value, name, value, … */
  readonly headers: string[];
  /** Milliseconds that all of it may take. */
  readonly timeLimit: number;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes of the body to keep, as received; undefined when only status and headers matter. */
  readonly keep: (status: number, headers: RawHeaders) => number | undefined;
}

/** What came back: an answer, with the body as received, or why there is none. */
export type ExchangeResult =
  | {
      readonly status: number;
      readonly statusText: string;
      readonly headers: RawHeaders;
      /** Headers as they came: name, value, name, value, … */
      readonly rawHeaders: readonly string[];
      readonly body: Uint8Array;
      /** The body was longer than what was to be kept, or ended before its end; the connection was closed. */
      readonly cut: boolean;
      /** Only the lenient reader took it. */
      readonly lenient?: boolean;
    }
  | {
      readonly failure: NetworkCode;
      readonly message: string;
      /** The server closed a connection that had served before, or broke off within the head: worth one more try. */
      readonly stale?: boolean;
      /** It is no answer as the strict client takes it, or broke off within its body: a lenient reader may read it. */
      readonly unreadable?: boolean;
    };

type Answer = Extract<ExchangeResult, { status: number }>;
type Failure = Extract<ExchangeResult, { failure: NetworkCode }>;

/** A body that does not matter is read up to here, so that the connection can be used again. */
const DRAIN_LIMIT = 65_536;
const LONGEST_TIMER = 2_147_483_647;

/** Sends one GET request and collects the answer. It never rejects, and it ends within the time limit. */
export function exchange(dispatcher: Dispatcher, request: Exchange): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Omit<Answer, 'body' | 'cut'> | undefined;
    /** Absent where the body does not matter. */
    let body: BodyBuffer | undefined;
    let drained = 0;
    let done = false;

    const end = (result: ExchangeResult): void => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    /** Once status and headers say it all, nothing that happens to the body matters. */
    const fail = (failure: NetworkCode, message: string, hints: Pick<Failure, 'stale' | 'unreadable'> = {}): void => {
      if (head && !body) end({ ...head, body: new Uint8Array(), cut: false });
      else end({ failure, message, ...hints });
    };
    const stop = (failure: NetworkCode, message: string): void => {
      fail(failure, message);
      controller?.abort(new Error(message));
    };
    const onAbort = (): void => stop('aborted', 'the request was aborted');
    const limit = Math.min(request.timeLimit, LONGEST_TIMER);
    const timer = setTimeout(() => stop('too_slow', `not done after ${limit} ms`), limit);

    if (request.signal?.aborted) return onAbort();
    request.signal?.addEventListener('abort', onAbort);

    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: 'GET',
        headers: request.headers,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (done) started.abort(new Error('given up before it began'));
        },
        onResponseStart(started, status, headers, statusText) {
          if (status < 200) return;
          head = { status, statusText: statusText ?? '', headers, rawHeaders: rawOf(started) };
          const room = request.keep(status, headers);
          body = room === undefined ? undefined : createBodyBuffer(room);
        },
        onResponseData(_controller, chunk) {
          if (done || !head) return;
          if (!body) drained += chunk.length;
          if (body ? body.add(chunk) : drained <= DRAIN_LIMIT) return;
          end({ ...head, body: body?.bytes() ?? new Uint8Array(), cut: body !== undefined });
          controller?.abort(new Error('the rest of the body is not wanted'));
        },
        onResponseEnd() {
          if (head) end({ ...head, body: body?.bytes() ?? new Uint8Array(), cut: false });
        },
        onResponseError(_controller, error) {
          // After the head it is the body that came short.
          const code = head && isLengthMismatch(error) ? 'reset' : networkCode(error);
          const isReset = code === 'reset';
          const stale = isReset && head === undefined && closedWhileIdle(error);
          const unreadable = code === 'protocol' || (isReset && head !== undefined);
          fail(code, networkMessage(error), { stale, unreadable });
        },
      },
    );
  });
}

function rawOf({ rawHeaders }: Dispatcher.DispatchController): string[] {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}

/** The server had sent something on this socket, an earlier answer most likely, and then closed it. */
function closedWhileIdle(error: Error): boolean {
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  if (typeof socket !== 'object' || socket === null || !('bytesRead' in socket)) return false;
  return typeof socket.bytesRead === 'number' && socket.bytesRead > 0;
}
