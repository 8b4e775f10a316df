import { BodyBuffer } from '../body-buffer.js';
import { ChunkedBody } from './chunked-body.js';
import type { Exchange, ExchangeResult } from '../http-exchange.js';
import { bodyFraming, headersOf, parseHeaderLines, parseStatusLine } from './lenient-head.js';
import { LineBuffer } from './line-buffer.js';
import type { NetworkCode } from '../network-error.js';

interface AnswerReaderOptions {
  /** Maximum bytes of all heads together, including the heads of interim answers. */
  readonly headerLimit: number;
  readonly keep: Exchange['keep'];
}

/** Matches the beginning of an answer without a status line. A byte order mark may come first. */
const MARKUP = /^(?:\xef\xbb\xbf)?</;
const MARKUP_WITHIN = 4;
const STATUS_BEGUN = /^[^]{0,4}?(?:http|icy)/i;
const NOT_HTTP = 'what came is not HTTP';

type Head = Pick<Extract<ExchangeResult, { status: number }>, 'status' | 'statusText' | 'headers' | 'rawHeaders'>;

/**
 * Makes a reader that reads one answer from the bytes of a connection, as tolerantly as a browser. `headerLimit` and `keep` limit its memory.
 *
 * If an answer has no status line and begins with `<`, it is read as a page, because HTTP/0.9 had only HTML. Anything else, such as the
 * greeting of another protocol, is refused. If a body ends early or breaks off, the part that has arrived is stored and marked as cut. If
 * no part of the body has arrived, the answer is a failure. An incomplete head is a failure too, because the missing part might change the
 * meaning of the head (RFC 9112, section 8). Bytes after the answer are not read.
 */
export function createAnswerReader({ headerLimit, keep }: AnswerReaderOptions) {
  const lines = new LineBuffer();
  const headers: string[] = [];
  let headBytes = 0;
  let statusLine: ReturnType<typeof parseStatusLine>;
  let head: Head | undefined;
  let body = new BodyBuffer(0);
  let chunked: ChunkedBody | undefined;
  /** Remaining bytes of the body. Infinity if the body ends when the connection is closed. */
  let left = Infinity;

  const refuse = (message: string): ExchangeResult => ({ failure: 'invalid_response', message });
  const answer = (answered: Head, cut: boolean): ExchangeResult => ({ ...answered, body: body.bytes(), cut });

  /** Begins to read the body after the head is complete. Returns a result if there is no body to read. */
  function beginBody(begun: Head): ExchangeResult | undefined {
    const room = keep(begun.status, begun.headers);
    if (room === undefined || begun.status === 204 || begun.status === 304) return answer(begun, false);
    const framing = bodyFraming(begun.headers);
    if (!framing) return refuse('values of Content-Length that contradict each other');
    if (framing.kind === 'chunked') chunked = new ChunkedBody();
    if (framing.kind === 'length') left = framing.length;
    head = begun;
    body = new BodyBuffer(room);
    return left === 0 ? answer(begun, false) : undefined;
  }

  function endHead(): ExchangeResult | undefined {
    const { status, statusText } = statusLine ?? { status: 200, statusText: '' };
    statusLine = undefined;
    const rawHeaders = parseHeaderLines(headers.splice(0));
    // The next bytes would be in another protocol, which was not requested.
    if (status === 101) return refuse('a switch to another protocol');
    return status < 200 ? undefined : beginBody({ status, statusText, headers: headersOf(rawHeaders), rawHeaders });
  }

  function takeLine(line: string): ExchangeResult | undefined {
    if (statusLine) {
      if (line === '') return endHead();
      headers.push(line);
      return undefined;
    }
    statusLine = parseStatusLine(line);
    return statusLine ? undefined : refuse(NOT_HTTP);
  }

  /** Reads bytes of the head, up to the end of a line. */
  function pushHead(bytes: Buffer): { readonly result?: ExchangeResult | undefined; readonly taken: number } {
    const isStart = !statusLine && lines.pending.length < MARKUP_WITHIN;
    if (isStart && MARKUP.test(lines.pending + bytes.toString('latin1', 0, MARKUP_WITHIN))) {
      const before = Buffer.from(lines.clear(), 'latin1');
      const result = beginBody({ status: 200, statusText: '', headers: {}, rawHeaders: [] });
      return { result: result ?? pushBody(before) ?? pushBody(bytes), taken: bytes.length };
    }
    const blank = !statusLine && lines.pending === '' && isBlank(bytes[0]);
    const { line, taken } = blank ? { taken: 1 } : lines.take(bytes);
    headBytes += taken;
    if (headBytes > headerLimit) {
      return { result: { failure: 'headers_too_large', message: `a head of more than ${headerLimit} bytes` }, taken };
    }
    return { result: line === undefined ? undefined : takeLine(line), taken };
  }

  function pushBody(bytes: Buffer): ExchangeResult | undefined {
    if (!head) return undefined;
    if (chunked) {
      const state = chunked.push(bytes, (content) => body.add(content));
      if (state === 'more') return undefined;
      if (state === 'broken' && body.size === 0) return refuse('a body that is not chunked as it should be');
      return answer(head, state !== 'end');
    }
    const wanted = bytes.subarray(0, left);
    left -= wanted.length;
    if (!body.add(wanted)) return answer(head, true);
    return left === 0 ? answer(head, false) : undefined;
  }

  return {
    /** Reads the next bytes. It returns a result at the end of the answer. After that, `push` must not be called. */
    push(bytes: Buffer): ExchangeResult | undefined {
      let rest = bytes;
      while (!head && rest.length > 0) {
        const { result, taken } = pushHead(rest);
        if (result) return result;
        rest = rest.subarray(taken);
      }
      return rest.length > 0 ? pushBody(rest) : undefined;
    },
    /** Call `end` when no more bytes will arrive. If the connection broke off, `failure` is the reason. */
    end(failure?: { readonly code: NetworkCode; readonly message: string }): ExchangeResult {
      // Without a length, the body ends when the connection is closed.
      if (head && !failure && !chunked && left === Infinity) return answer(head, false);
      if (head && body.size > 0 && (failure?.code ?? 'connection_reset') === 'connection_reset')
        return answer(head, true);
      if (failure) return { failure: failure.code, message: failure.message };
      if (!head && !statusLine && lines.pending !== '' && !STATUS_BEGUN.test(lines.pending)) return refuse(NOT_HTTP);
      return { failure: 'connection_reset', message: 'closed before the answer was complete' };
    },
  };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
