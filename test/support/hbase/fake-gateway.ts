import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { KINDS, officialFrame, readOfficial, type ReadValue, type ThriftValue } from './official-thrift.js';

/** A received call. */
export interface FakeCall {
  readonly method: string;
  /** Arguments by field id. */
  readonly args: { readonly [id: number]: ReadValue };
  /** The bytes of the whole frame. */
  readonly bytes: number;
}

/** The reaction of a gateway to a call. */
export type Reaction =
  | { readonly value: ThriftValue | undefined }
  /** A TIOError, whose text begins with a Java class. */
  | { readonly io: string }
  /** A TIllegalArgument. */
  | { readonly argument: string }
  /** A TApplicationException. */
  | { readonly application: string; readonly type: number }
  /** Any bytes; with `close`, then the end of the connection. */
  | { readonly bytes: Buffer; readonly close?: boolean }
  /** This number of bytes of the right answer, then the end of the connection. */
  | { readonly part: Reaction; readonly length: number }
  | 'close'
  | 'silence';

/** A gateway on loopback with programmed answers. */
export interface FakeGateway {
  readonly port: number;
  /** In the form of a URL. */
  readonly address: string;
  readonly calls: readonly FakeCall[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Ends all connections; new ones are accepted. */
  drop(): void;
  close(): Promise<void>;
}

/** Starts a gateway. A frame larger than `mostBytes` ends the connection, as in HBase. */
export async function fakeGateway(
  react: (call: FakeCall) => Reaction,
  { mostBytes = Infinity, port = 0 }: { mostBytes?: number; port?: number } = {},
): Promise<FakeGateway> {
  const sockets = new Set<Socket>();
  const calls: FakeCall[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 4 && !socket.destroyed) {
        const size = bytes.readInt32BE(0);
        if (size > mostBytes) return void socket.destroy();
        if (bytes.length < 4 + size) return;
        const { method, sequence, body } = readOfficial(bytes.subarray(4, 4 + size));
        bytes = bytes.subarray(4 + size);
        const call = { method, args: body as FakeCall['args'], bytes: size };
        calls.push(call);
        perform(socket, react(call), method, sequence);
      }
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: found } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: found,
    address: `127.0.0.1:${found}`,
    calls,
    get connections() {
      return connections;
    },
    drop,
    async close() {
      drop();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function perform(socket: Socket, reaction: Reaction, method: string, sequence: number): void {
  if (reaction === 'close') return void socket.destroy();
  if (reaction === 'silence') return;
  if ('part' in reaction) return void socket.end(frameOf(reaction.part, method, sequence).subarray(0, reaction.length));
  if ('bytes' in reaction && reaction.close) return void socket.end(reaction.bytes);
  socket.write(frameOf(reaction, method, sequence));
}

function frameOf(reaction: Reaction, method: string, sequence: number): Buffer {
  if (typeof reaction === 'string' || 'part' in reaction) throw new Error('expected a response');
  if ('bytes' in reaction) return reaction.bytes;
  if ('application' in reaction) {
    const { application, type } = reaction;
    const body: ThriftValue = {
      struct: [
        [1, { binary: application }],
        [2, { i32: type }],
      ],
    };
    return officialFrame(method, KINDS.exception, sequence, body);
  }
  if ('io' in reaction || 'argument' in reaction) {
    const error: ThriftValue =
      'io' in reaction
        ? {
            struct: [
              [1, { binary: reaction.io }],
              [2, { bool: true }],
            ],
          }
        : { struct: [[1, { binary: reaction.argument }]] };
    return officialFrame(method, KINDS.reply, sequence, { struct: [['io' in reaction ? 1 : 2, error]] });
  }
  const fields = reaction.value === undefined ? [] : [[0, reaction.value] as const];
  return officialFrame(method, KINDS.reply, sequence, { struct: fields });
}
