import type net from 'node:net';
import tls from 'node:tls';
import { SELF_SIGNED } from './self-signed.js';

/** A server on loopback that speaks HTTP/2 in whatever frames it is told. */
export interface H2Server {
  readonly port: number;
  /** Requests so far. */
  requests(): number;
  /** Connections so far, and those open now. */
  connections(): { readonly all: number; readonly open: number };
  /** Codes of RST_STREAM frames that came. */
  readonly resets: readonly number[];
  close(): Promise<void>;
}

/** What to do with a request; the socket takes frames. */
export type H2Handler = (socket: tls.TLSSocket, stream: number, number: number) => void;

/** One frame of HTTP/2. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const STATUS_200 = 0x88;
const word = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, i) => bytes.writeUInt32BE(number, 4 * i));
  return bytes;
};

/** A header line for HEADERS and CONTINUATION, in the plainest form of HPACK; name and value up to 126 bytes. */
export function line(name: string, value: string): Buffer {
  const text = (of: string): Buffer => Buffer.concat([Buffer.from([of.length]), Buffer.from(of, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}
/** The head of an answer with status 200. */
export function head(stream: number, ...lines: Buffer[]): Buffer {
  return frame(1, 4, stream, Buffer.concat([Buffer.from([STATUS_200]), ...lines]));
}
/** A part of the body. */
export function data(stream: number, text: string | Uint8Array, last = false): Buffer {
  return frame(0, last ? 1 : 0, stream, Buffer.from(text));
}
/** RST_STREAM: ends one stream. */
export function reset(stream: number, code: number): Buffer {
  return frame(3, 0, stream, word(code));
}
/** GOAWAY: no streams after `last` are served. */
export function goAway(last: number, code = 0): Buffer {
  return frame(7, 0, 0, word(last, code));
}

const [HEADERS, RST_STREAM, SETTINGS] = [1, 3, 4];
const PREFACE_LENGTH = 24;

export async function h2Server(handler: H2Handler): Promise<H2Server> {
  const sockets = new Set<net.Socket>();
  const resets: number[] = [];
  let requests = 0;
  let connections = 0;
  const server = tls.createServer({ ...SELF_SIGNED, ALPNProtocols: ['h2'] }, (socket) => {
    let pending = Buffer.alloc(0);
    let begun = false;
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.write(frame(SETTINGS, 0, 0));
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      if (!begun && pending.length >= PREFACE_LENGTH) {
        pending = pending.subarray(PREFACE_LENGTH);
        begun = true;
      }
      while (begun && pending.length >= 9) {
        const end = 9 + pending.readUIntBE(0, 3);
        if (pending.length < end) break;
        const [type, flags, stream] = [pending[3], pending[4] ?? 0, pending.readUInt32BE(5)];
        if (type === SETTINGS && !(flags & 1)) socket.write(frame(SETTINGS, 1, 0));
        if (type === RST_STREAM) resets.push(pending.readUInt32BE(9));
        if (type === HEADERS) handler(socket, stream, ++requests);
        pending = pending.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    requests: () => requests,
    connections: () => ({ all: connections, open: sockets.size }),
    resets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
