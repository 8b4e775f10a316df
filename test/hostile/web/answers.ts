import type { Socket } from 'node:net';
import { constants, deflateRawSync } from 'node:zlib';
import { answer } from '../../support/web/raw-server.js';
import type { Answer } from '../behaviour.js';

const HTML = 'text/html; charset=utf-8';

/** A complete answer with this page. */
export function html(body: string | Uint8Array, headers: Record<string, string> = {}, status = '200 OK'): Uint8Array {
  return answer(status, { 'Content-Type': HTML, ...headers }, body);
}

/** A page of links. */
export function links(...urls: readonly string[]): Uint8Array {
  return html(urls.map((url) => `<a href="${url}">${url.slice(-20)}</a>\n`).join(''));
}

/** An answer whose body does not matter. */
export function status(line: string, headers: Record<string, string> = {}): Uint8Array {
  return answer(line, { 'Content-Type': HTML, ...headers }, '<title>not to be seen</title>');
}

export function to(location: string, line = '302 Found', headers: Record<string, string> = {}): Uint8Array {
  return answer(line, { Location: location, ...headers });
}

export const notFound: Answer = () => status('404 Not Found');

/** Exactly these bytes; then the connection is closed. */
export function andClose(bytes: string | Uint8Array): Answer {
  return ({ socket }) => void socket.end(bytes);
}

/** A head without a length, for a body that follows. */
export const OPEN = `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nConnection: close\r\n\r\n`;
export const CHUNKED = `HTTP/1.1 200 OK\r\nContent-Type: ${HTML}\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** Sends nothing and keeps the connection open. */
export const silence: Answer = () => undefined;

/** Closes the connection without an answer. */
export const hangUp: Answer = ({ socket }) => void socket.end();

/** Sends a head and then the same piece without end: as fast as it is read, or every `everyMs` milliseconds. */
export function endless(head: string | Uint8Array, piece: string | Uint8Array, everyMs?: number): Answer {
  return ({ socket }) => {
    socket.write(head);
    const bytes = Buffer.from(piece);
    if (everyMs === undefined) pour(socket, bytes, Infinity);
    else {
      const timer = setInterval(() => socket.write(bytes), everyMs);
      socket.on('close', () => clearInterval(timer));
    }
  };
}

/** Writes a piece `times` times, never more than the socket takes; then closes. */
export function pour(socket: Socket, piece: Uint8Array, times: number): void {
  let left = times;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left--;
      if (!socket.write(piece)) return void socket.once('drain', more);
    }
    socket.end();
  };
  more();
}

/** Ten gigabytes of gzip data, made while they are sent. */
export const tenGigabytes: Answer = ({ socket }) => {
  socket.write(OPEN.replace('Connection', 'Content-Encoding: gzip\r\nConnection'));
  socket.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]));
  pour(socket, SIXTEEN_MEGABYTES, 640);
};

/** A part of a deflate stream that may be repeated. */
const SIXTEEN_MEGABYTES = deflateRawSync(Buffer.alloc(16 << 20, 'A'), { finishFlush: constants.Z_FULL_FLUSH });
