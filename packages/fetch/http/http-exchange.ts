import type { Dispatcher } from 'undici';
import { deadline, type Late } from '../../util/index.js';
import { BodyBuffer } from './body-buffer.js';
import type { RawHeaders } from './http-headers.js';
import { isLengthMismatch, networkCode, networkMessage, type NetworkCode } from './network-error.js';

/** A request as it is sent, with its limits. */
export interface Exchange {
  readonly url: URL;
  /** Default: GET. */
  readonly method?: 'GET' | 'HEAD';
  /** The headers: name, value, name, value, … */
  readonly headers: string[];
  /** Maximum milliseconds for the whole exchange. */
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns the maximum number of bytes to read of the received body. Returns undefined if only status and headers are needed. */
  readonly keep: (status: number, headers: RawHeaders) => number | undefined;
}

/** The result of a request: an answer with the body as received, or the reason why there is no answer. */
export type ExchangeResult =
  | {
      readonly status: number;
      readonly statusText: string;
      readonly headers: RawHeaders;
      /** Headers as received: name, value, name, value, … */
      readonly rawHeaders: readonly string[];
      readonly body: Uint8Array;
      /** Whether the body was longer than the limit, or ended early. If so, the connection was closed. */
      readonly cut: boolean;
      /** Whether only the lenient reader could read the answer. */
      readonly lenient?: boolean;
    }
  | {
      readonly failure: NetworkCode;
      readonly message: string;
      /** Whether the server closed a reused connection, or broke it off within the head. If so, one retry may succeed. */
      readonly stale?: boolean;
      /**
       * Whether the strict client cannot read the answer, or the answer ended within its body. If so, a lenient reader may be able to read
       * the answer.
       */
      readonly unreadable?: boolean;
    };

type Answer = Extract<ExchangeResult, { status: number }>;
type Failure = Extract<ExchangeResult, { failure: NetworkCode }>;

/** If a body is not needed, but has at most this number of bytes, it is read to its end, so that the connection can be reused. */
const DRAIN_LIMIT = 65_536;
/** Maximum number of interim answers (1xx) before an answer. The client limits the size of each head, but not their number. */
const MAX_INTERIM = 100;

/** Returns the result of a request that was ended early. */
export function givenUp(why: Late, { timeLimitMs }: Exchange): Failure {
  if (why === 'time') return { failure: 'too_slow', message: `not done after ${timeLimitMs} ms` };
  return { failure: 'aborted', message: 'the request was aborted' };
}

/** Sends one request and collects its answer. It never rejects, and it ends within the time limit. */
export async function exchange(dispatcher: Dispatcher, request: Exchange): Promise<ExchangeResult> {
  if (request.signal?.aborted) return givenUp('abort', request);
  let controller: Dispatcher.DispatchController | undefined;
  let head: Omit<Answer, 'body' | 'cut'> | undefined;
  /** Absent if the body is not needed. */
  let body: BodyBuffer | undefined;
  let drained = 0;
  let interim = 0;
  let done = false;

  /** If only status and headers are needed, failures of the body are ignored. */
  const orHead = (failure: Failure): ExchangeResult =>
    head && !body ? { ...head, body: new Uint8Array(), cut: false } : failure;

  const answer = new Promise<ExchangeResult>((resolve) => {
    const end = (result: ExchangeResult): void => {
      done = true;
      resolve(result);
    };
    dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method ?? 'GET',
        headers: request.headers,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (done) started.abort(new Error('given up before it began'));
        },
        onResponseStart(started, status, headers, statusText) {
          if (done) return;
          if (status < 200) {
            if (++interim <= MAX_INTERIM) return;
            end({ failure: 'headers_too_large', message: `more than ${MAX_INTERIM} interim answers` });
            return started.abort(new Error('too many interim answers'));
          }
          head = { status, statusText: statusText ?? '', headers, rawHeaders: rawOf(started) };
          const room = request.keep(status, headers);
          body = room === undefined ? undefined : new BodyBuffer(room, Number(headers['content-length']));
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
          if (done) return;
          // If the head has arrived, this error means that the body is too short.
          const code = head && isLengthMismatch(error) ? 'connection_reset' : networkCode(error);
          const isReset = code === 'connection_reset';
          const stale = isReset && head === undefined && closedWhileIdle(error);
          const unreadable = code === 'invalid_response' || (isReset && head !== undefined);
          end(orHead({ failure: code, message: networkMessage(error), stale, unreadable }));
        },
      },
    );
  });
  const giveUp = (why: Late): ExchangeResult => {
    done = true;
    const failure = givenUp(why, request);
    controller?.abort(new Error(failure.message));
    return orHead(failure);
  };
  return deadline(answer, request.timeLimitMs, giveUp, request.signal);
}

function rawOf({ rawHeaders }: Dispatcher.DispatchController): string[] {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map(headerText);
}

const headerText = (part: string | Buffer): string => (typeof part === 'string' ? part : part.toString('latin1'));

/** Whether the server closed the connection after it had sent something, which is most likely an earlier answer. */
function closedWhileIdle(error: Error): boolean {
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  if (typeof socket !== 'object' || socket === null || !('bytesRead' in socket)) return false;
  return typeof socket.bytesRead === 'number' && socket.bytesRead > 0;
}
