import { connect, type Socket } from 'node:net';
import { Frames } from '../thrift/frames.js';
import { decodeResponse, encodeCall, type Response, type Call } from '../thrift/messages.js';
import { ThriftError } from '../thrift/types.js';
import { GatewayFailure, type FailureKind } from './failure.js';

export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/** Time limits in milliseconds. */
export interface ConnectionTimes {
  /** Maximum time to make a connection. */
  readonly connect: number;
  /** Maximum time from one response to the next, while responses are pending. */
  readonly response: number;
}

/** Maximum bytes of a response. The store requests no response of this size, so a greater length shows that the data is not a response. */
const MAX_RESPONSE_BYTES = 512 * 1024 * 1024;

interface Waiting {
  readonly call: Call<unknown>;
  readonly sequence: number;
  resolve(value: unknown): void;
  reject(failure: GatewayFailure): void;
}

/**
 * A connection to a gateway. Calls are sent at once, and responses arrive in order. When the connection ends for any reason, all pending calls fail.
 */
export class Connection {
  readonly #name: string;
  readonly #socket: Socket;
  readonly #times: ConnectionTimes;
  readonly #frames = new Frames(MAX_RESPONSE_BYTES);
  readonly #waiting: Waiting[] = [];
  #sequence = 0;
  #timer: NodeJS.Timeout | undefined;
  #failure: GatewayFailure | undefined;

  private constructor(name: string, socket: Socket, times: ConnectionTimes) {
    this.#name = name;
    this.#socket = socket;
    this.#times = times;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail('lost', error.message, error));
    socket.on('close', () => this.#fail('lost', this.#endedWithin()));
  }

  /** @throws GatewayFailure */
  static open({ host, port }: GatewayAddress, times: ConnectionTimes): Promise<Connection> {
    const name = nameOf({ host, port });
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true, keepAlive: true });
      const fail = (message: string, cause?: unknown): void => {
        socket.destroy();
        reject(new GatewayFailure('unreachable', name, message, cause));
      };
      const timer = setTimeout(() => fail(`no connection in ${times.connect} ms`), times.connect);
      socket.once('error', (error) => {
        clearTimeout(timer);
        // If a host has several addresses, the error contains one error for each address. Only those have a message.
        const parts = error instanceof AggregateError ? error.errors.map(String).join(', ') : '';
        fail(error.message || parts, error);
      });
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeAllListeners('error');
        resolve(new Connection(name, socket, times));
      });
    });
  }

  /** Whether the connection has ended, so that every additional call fails. */
  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  /** @throws GatewayFailure */
  call<T>(call: Call<T>): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    const sequence = (this.#sequence = (this.#sequence + 1) & 0x7fffffff);
    const frame = encodeCall(call, sequence);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ call, sequence, resolve: resolve, reject });
      if (this.#waiting.length === 1) this.#watch();
      this.#socket.write(frame);
    });
  }

  /** Ends the connection at once. Pending calls fail. */
  close(): void {
    this.#fail('lost', 'the connection was closed here');
  }

  #receive(chunk: Buffer): void {
    if (this.#failure) return;
    try {
      for (const frame of this.#frames.add(chunk)) this.#settle(frame);
    } catch (error) {
      if (!(error instanceof ThriftError || error instanceof RangeError)) throw error;
      this.#fail('garbled', error.message, error);
    }
  }

  #settle(frame: Buffer): void {
    const waiting = this.#waiting[0];
    if (!waiting) throw new ThriftError('expected no response, found one');
    const response = decodeResponse(frame, waiting.call, waiting.sequence);
    this.#waiting.shift();
    this.#watch();
    if (response.kind === 'value') waiting.resolve(response.value);
    else waiting.reject(new GatewayFailure(kindOf(response), this.#name, response.message));
  }

  /** Starts the time limit for the next response, if calls are pending. */
  #watch(): void {
    if (this.#waiting.length === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer) {
      this.#timer.refresh();
    } else {
      const late = (): void =>
        this.#fail('lost', `no response to ${this.#waiting[0]!.call.method} in ${this.#times.response} ms`);
      this.#timer = setTimeout(late, this.#times.response);
    }
  }

  #endedWithin(): string {
    return this.#frames.isWithinFrame
      ? 'the gateway closed the connection within a response'
      : 'the gateway closed the connection';
  }

  #fail(kind: FailureKind, message: string, cause?: unknown): void {
    if (this.#failure) return;
    this.#failure = new GatewayFailure(kind, this.#name, message, cause);
    clearTimeout(this.#timer);
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** The address as it is written in a URL. */
export function nameOf({ host, port }: GatewayAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The type of a TApplicationException for a method that the server does not have. */
const UNKNOWN_METHOD = 1;

function kindOf(response: Exclude<Response<unknown>, { kind: 'value' }>): FailureKind {
  if (response.kind === 'declared') return response.id === 1 ? 'io' : 'argument';
  return response.type === UNKNOWN_METHOD ? 'unknown method' : 'internal';
}
