import { BodyBuffer } from '../body-buffer.js';
import { ChunkedBody } from './chunked-body.js';
import type { Exchange, ExchangeResult } from '../http-exchange.js';
import { bodyFraming, headersOf, parseHeaderLines, parseStatusLine } from './lenient-head.js';
import { LineBuffer } from './line-buffer.js';
import type { NetworkCode } from '../network-error.js';

/** What {@link createAnswerReader} needs to know. */
export interface AnswerReaderOptions {
  /** Bytes of the heads together, interim answers too. */
  readonly headerLimit: number;
  readonly keep: Exchange['keep'];
}

/** Reads one answer from the bytes of a connection, as a browser would rather than by the letter. */
export interface AnswerReader {
  /** Takes the next bytes; a result ends it, and nothing may be pushed after it. */
  push(bytes: Buffer): ExchangeResult | undefined;
  /** The bytes have come to their end, or, with a failure, broken off. */
  end(failure?: { readonly code: NetworkCode; readonly message: string }): ExchangeResult;
}

/** The beginning of an answer without status line; a byte order mark may precede it. */
const MARKUP = /^(?:\xef\xbb\xbf)?</;
const MARKUP_WITHIN = 4;
const STATUS_BEGUN = /^[^]{0,4}?(?:http|icy)/i;
const NOT_HTTP = 'what came is not HTTP';

type Head = Pick<Extract<ExchangeResult, { status: number }>, 'status' | 'statusText' | 'headers' | 'rawHeaders'>;

/**
 * Makes a reader for one answer. Memory is bounded by `headerLimit` and by what `keep` allows.
 *
 * An answer without status line is taken for a page where it begins with `<`, since HTTP/0.9 knew HTML only; anything
 * else, such as the greeting of another protocol, is refused. A body that ends early or breaks is kept as cut, unless
 * nothing of it has come: that is a failure. Half a head is a failure too, as what is missing might say something else
 * (RFC 9112, section 8). What follows the answer is not read.
 */
export function createAnswerReader({ headerLimit, keep }: AnswerReaderOptions): AnswerReader {
  const lines = new LineBuffer();
  const headers: string[] = [];
  let headBytes = 0;
  let statusLine: ReturnType<typeof parseStatusLine>;
  let head: Head | undefined;
  let body = new BodyBuffer(0);
  let chunked: ChunkedBody | undefined;
  /** Bytes of the body to come; Infinity where only the end of the connection says. */
  let left = Infinity;

  const refuse = (message: string): ExchangeResult => ({ failure: 'protocol', message });
  const answer = (answered: Head, cut: boolean): ExchangeResult => ({ ...answered, body: body.bytes(), cut });

  /** With the head known: a result where there is no body to read. */
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
    // Nobody asked for another protocol, and what follows would be in it.
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

  /** Takes bytes of the head, up to the end of a line at the most. */
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
      return { result: { failure: 'header_limit', message: `a head of more than ${headerLimit} bytes` }, taken };
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
    push(bytes) {
      let rest = bytes;
      while (!head && rest.length > 0) {
        const { result, taken } = pushHead(rest);
        if (result) return result;
        rest = rest.subarray(taken);
      }
      return rest.length > 0 ? pushBody(rest) : undefined;
    },
    end(failure) {
      // Without a length the end of the connection is the end of the body.
      if (head && !failure && !chunked && left === Infinity) return answer(head, false);
      if (head && body.size > 0 && (failure?.code ?? 'reset') === 'reset') return answer(head, true);
      if (failure) return { failure: failure.code, message: failure.message };
      if (!head && !statusLine && lines.pending !== '' && !STATUS_BEGUN.test(lines.pending)) return refuse(NOT_HTTP);
      return { failure: 'reset', message: 'closed before the answer was complete' };
    },
  };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}
