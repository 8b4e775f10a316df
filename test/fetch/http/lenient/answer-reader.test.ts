import { describe, expect, it } from 'vitest';
import { createAnswerReader } from '../../../../packages/fetch/http/lenient/answer-reader.js';
import type { ExchangeResult } from '../../../../packages/fetch/http/http-exchange.js';
import { randomNumbers } from '../../../support/web/fake-web.js';
import { ODD_ANSWERS, oddBytes, type OddExpectation } from '../../../support/web/odd-answers.js';
import { runs } from '../../../support/runs.js';

const HEADER_LIMIT = 4096;
const ROOM = 100;

/** Reads the bytes in pieces of the given lengths, and then their end. */
function read(text: string, pieces: () => number = () => Infinity, room = ROOM): ExchangeResult {
  const reader = createAnswerReader({
    headerLimit: HEADER_LIMIT,
    keep: (status) => (status < 300 ? room : undefined),
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + pieces());
    at += piece.length;
    const result = reader.push(piece);
    if (result) return result;
  }
  return reader.end();
}

function check(result: ExchangeResult, expected: OddExpectation): void {
  if ('failure' in expected) {
    expect(result).toMatchObject({ failure: expected.failure, message: expect.stringMatching(/^.+$/) as string });
    return;
  }
  const { status, body, cut = false, headers = {}, without = [] } = expected;
  if ('failure' in result) expect(result).toBe('an answer');
  else {
    expect([result.status, Buffer.from(result.body).toString('latin1'), result.cut]).toEqual([status, body, cut]);
    expect(result.headers).toMatchObject(headers);
    for (const name of without) expect(Object.keys(result.headers)).not.toContain(name);
  }
}

describe('an odd answer', () => {
  it.each(ODD_ANSWERS)('$name', ({ bytes, expected }) => {
    check(read(bytes), expected);
    check(
      read(bytes, () => 1),
      expected,
    );
    const random = randomNumbers(7);
    for (let i = 0; i < 5; i++)
      check(
        read(bytes, () => 1 + Math.floor(random() * 9)),
        expected,
      );
  });
});

describe('a head', () => {
  const limit = { failure: 'headers_too_large' };
  it.each([
    ['of blanks', ' '.repeat(HEADER_LIMIT + 1), limit],
    ['of line breaks', '\r\n'.repeat(HEADER_LIMIT), limit],
    ['of a status line without end', `HTTP/1.1 200 ${'x'.repeat(HEADER_LIMIT)}`, limit],
    ['of a header without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(HEADER_LIMIT)}`, limit],
    ['of headers without end', `HTTP/1.1 200 OK\r\n${'a:b\n'.repeat(HEADER_LIMIT)}`, limit],
    ['of folds without end', `HTTP/1.1 200 OK\r\nX: y\r\n${' a\n'.repeat(HEADER_LIMIT)}`, limit],
    ['of interim answers without end', 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(HEADER_LIMIT), limit],
    ['of rubbish without line', 'x'.repeat(HEADER_LIMIT + 1), limit],
  ])('%s has a limit', (_name, bytes, expected) => {
    check(read(bytes), expected);
    check(
      read(bytes, () => 1),
      expected,
    );
  });

  it('may be as long as the limit', () => {
    const begin = 'HTTP/1.1 200 OK\r\nX: ';
    const bytes = `${begin}${'x'.repeat(HEADER_LIMIT - begin.length - 4)}\r\n\r\n`;
    check(read(`${bytes}hello`), { status: 200, body: 'hello' });
    check(read(bytes.replace('X', 'XX')), limit);
  });

  it('ends the answer if the body is not needed', () => {
    check(read(`HTTP/1.1 404 Not Found\r\n\r\n${'x'.repeat(1000)}`), { status: 404, body: '' });
  });
});

describe('a body', () => {
  it.each([
    ['until close', 'HTTP/1 200 OK\r\n\r\n', 'x'.repeat(ROOM)],
    ['of a length', 'HTTP/1 200 OK\r\nContent-Length: 101\r\n\r\n', 'x'.repeat(ROOM)],
    ['without head', '', `<${'x'.repeat(ROOM - 1)}`],
  ])('%s is cut if there is no more room', (_name, head, body) => {
    check(read(`${head}${body}y`), { status: 200, body, cut: true });
    check(
      read(`${head}${body}y`, () => 1),
      { status: 200, body, cut: true },
    );
  });

  it('just as long as the room is complete', () => {
    check(read(`HTTP/1 200 OK\r\nContent-Length: 100\r\n\r\n${'x'.repeat(ROOM)}y`), {
      status: 200,
      body: 'x'.repeat(ROOM),
    });
  });

  it('in chunks is cut too, and takes no more memory than its bytes', () => {
    const bytes = `HTTP/1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(50_000)}`;
    check(read(bytes), { status: 200, body: 'x'.repeat(ROOM), cut: true });
    const result = read(bytes, () => 1000, 40_000);
    expect('body' in result && result.body.buffer.byteLength).toBeLessThanOrEqual(40_000);
    expect('body' in result && result.body.length).toBe(40_000);
  });

  it('may have no room, or no limit', () => {
    check(read('HTTP/1 200 OK\r\n\r\nhello', undefined, 0), { status: 200, body: '', cut: true });
    check(read('HTTP/1 200 OK\r\n\r\n', undefined, 0), { status: 200, body: '' });
    const long = 'x'.repeat(1_000_000);
    check(
      read(`HTTP/1 200 OK\r\n\r\n${long}`, () => 4321, Infinity),
      { status: 200, body: long },
    );
  });

  it('that ends early is kept as truncated, or counts as the failure', () => {
    const reader = () => createAnswerReader({ headerLimit: HEADER_LIMIT, keep: () => ROOM });
    for (const [bytes, expected] of [
      ['HTTP/1.1 200 OK\r\n\r\nhello', { status: 200, cut: true }],
      ['HTTP/1.1 200 OK\r\n\r\n', { failure: 'connection_reset', message: 'broken' }],
      ['HTTP/1.1 2', { failure: 'connection_reset', message: 'broken' }],
    ] as const) {
      const one = reader();
      expect(one.push(Buffer.from(bytes))).toBeUndefined();
      expect(one.end({ code: 'connection_reset', message: 'broken' })).toMatchObject(expected);
    }
  });
});

describe('any bytes', () => {
  const random = randomNumbers(20_250_101);
  it('end with the same result in any pieces, and within all limits', () => {
    const kinds = new Set<string>();
    for (let i = 0; i < runs(1500, 6000); i++) {
      const bytes = oddBytes(random);
      const whole = read(bytes);
      const inPieces = read(bytes, () => 1 + Math.floor(random() * 7));
      expect(inPieces, JSON.stringify(bytes)).toEqual(whole);
      kinds.add('failure' in whole ? whole.failure : whole.cut ? 'cut' : 'whole');
      if ('failure' in whole) continue;
      expect(whole.body.length).toBeLessThanOrEqual(ROOM);
      expect(whole.body.buffer.byteLength).toBeLessThanOrEqual(ROOM);
      expect(whole.status).toBeGreaterThanOrEqual(200);
      expect(whole.status).toBeLessThan(1000);
      expect(JSON.stringify(whole.headers).length).toBeLessThan(10 * HEADER_LIMIT);
    }
    expect([...kinds].sort()).toEqual(['connection_reset', 'cut', 'headers_too_large', 'invalid_response', 'whole']);
  });
});
