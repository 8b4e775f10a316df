import type { Dispatcher } from 'undici';
import { deadline, type Late } from '../../util/index.js';
import { BodyBuffer } from './body-buffer.js';
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

/** What comes of a request that was ended early. */
export function givenUp(why: Late, { timeLimit }: Exchange): Failure {
  if (why === 'time') return { failure: 'too_slow', message: `not done after ${timeLimit} ms` };
  return { failure: 'aborted', message: 'the request was aborted' };
}

/** Sends one GET request and collects the answer. It never rejects, and it ends within the time limit. */
export async function exchange(dispatcher: Dispatcher, request: Exchange): Promise<ExchangeResult> {
  if (request.signal?.aborted) return givenUp('abort', request);
  let controller: Dispatcher.DispatchController | undefined;
  let head: Omit<Answer, 'body' | 'cut'> | undefined;
  /** Absent where the body does not matter. */
  let body: BodyBuffer | undefined;
  let drained = 0;
  let done = false;

  /** Once status and headers say it all, nothing that happens to the body matters. */
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
          body = room === undefined ? undefined : new BodyBuffer(room);
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
          // After the head it is the body that came short.
          const code = head && isLengthMismatch(error) ? 'reset' : networkCode(error);
          const isReset = code === 'reset';
          const stale = isReset && head === undefined && closedWhileIdle(error);
          const unreadable = code === 'protocol' || (isReset && head !== undefined);
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
  return deadline(answer, request.timeLimit, giveUp, request.signal);
}

function rawOf({ rawHeaders }: Dispatcher.DispatchController): string[] {
  if (!Array.isArray(rawHeaders)) return [];
  return rawHeaders.map(headerText);
}

const headerText = (part: string | Buffer): string => (typeof part === 'string' ? part : part.toString('latin1'));

/** The server had sent something on this socket, an earlier answer most likely, and then closed it. */
function closedWhileIdle(error: Error): boolean {
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  if (typeof socket !== 'object' || socket === null || !('bytesRead' in socket)) return false;
  return typeof socket.bytesRead === 'number' && socket.bytesRead > 0;
}
