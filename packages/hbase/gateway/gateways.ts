import { setMaxListeners } from 'node:events';
import { CrawlError } from '../../errors/index.js';
import { pause, pauseAfter, spread } from '../../util/index.js';
import type { Call } from '../thrift/messages.js';
import { Connection, nameOf, type ConnectionTimes, type GatewayAddress } from './connection.js';
import { GatewayFailure, mayPass } from './failure.js';

/** Time limits in milliseconds. */
export interface GatewayTimes extends ConnectionTimes {
  /** After this time, a failing call is not tried again. */
  readonly giveUp: number;
  /** The first pause before a retry. Each later pause is twice as long, up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
}

/**
 * The default times. A gateway responds within its `hbase.client.operation.timeout`. Set that to 60 s, so that calls do not fail when a
 * server dies. HBase takes 10 to 30 s to replace a dead server, and up to two minutes with default settings.
 */
export const GATEWAY_TIMES: GatewayTimes = {
  connect: 5_000,
  response: 75_000,
  giveUp: 120_000,
  firstPause: 300,
  longestPause: 5_000,
};

/** Maximum number of connections. Each open connection takes a thread of a gateway. */
const MAX_CONNECTIONS = 4;
/** If a gateway was lost or could not be reached, it is not used for this many milliseconds, unless there is no other gateway. */
const PASSED_OVER_FOR = 5_000;

/** A place for one connection, which is opened when it is needed. */
interface Place {
  /** The open connection, or the connection that is being opened. */
  connection?: Promise<Connection>;
  open?: Connection;
  /** Index of the gateway in the list of addresses. */
  address?: number;
  /** Number of running calls on the connection. */
  calls: number;
}

/**
 * Connections to the gateways of one HBase, opened as needed. A call uses the connection with the fewest running calls. A call that failed
 * is retried if it may succeed later. If the connection was lost, another gateway is used if there is one.
 */
export class Gateways {
  readonly #addresses: readonly GatewayAddress[];
  readonly #times: GatewayTimes;
  readonly #places: readonly Place[];
  /** When each gateway may be tried again, by `performance.now()`. */
  readonly #passedOverUntil: number[];
  #nextAddress: number;
  #isClosed = false;
  readonly #closing = new AbortController();

  constructor(addresses: readonly GatewayAddress[], times: GatewayTimes = GATEWAY_TIMES) {
    this.#addresses = addresses;
    this.#times = times;
    // Each call that waits for a retry has a listener, so the number of listeners is not limited.
    setMaxListeners(0, this.#closing.signal);
    this.#places = Array.from({ length: MAX_CONNECTIONS }, () => ({ calls: 0 }));
    this.#passedOverUntil = addresses.map(() => 0);
    // The first gateway is chosen at random, so that many processes do not all use the same one.
    this.#nextAddress = Math.floor(Math.random() * addresses.length);
  }

  /** The addresses in the form of a URL: `host:port,host:port`. */
  get name(): string {
    return this.#addresses.map(nameOf).join(',');
  }

  /**
   * Makes a call, with retries.
   * @param beforeAgain called before a retry. The first attempt may have succeeded if only the response was lost
   * @param giveUp ms after which there is no retry
   * @throws GatewayFailure the failure of the last attempt; CrawlError CLOSED
   */
  async call<T>(call: Call<T>, beforeAgain?: () => void, giveUp = this.#times.giveUp): Promise<T> {
    const began = performance.now();
    for (let attempts = 1; ; attempts++) {
      this.#assertOpen();
      try {
        return await this.#attempt(call);
      } catch (error) {
        this.#assertOpen();
        if (!(error instanceof GatewayFailure) || !mayPass(error, attempts)) throw error;
        const wait = pauseAfter(attempts, { first: this.#times.firstPause, most: this.#times.longestPause });
        if (performance.now() - began + wait > giveUp) throw error;
        await pause(spread(wait), this.#closing.signal);
        beforeAgain?.();
      }
    }
  }

  /** Ends all connections. Running calls fail with CLOSED. Calling it again does nothing. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.abort();
    for (const { open } of this.#places) open?.close();
  }

  async #attempt<T>(call: Call<T>): Promise<T> {
    const place = this.#bestPlace();
    place.calls += 1;
    try {
      const connection = await (place.connection ??= this.#open(place));
      return await connection.call(call);
    } finally {
      place.calls -= 1;
      if (place.open?.isClosed) {
        // If this gateway was lost or sent no response, another one may.
        this.#passedOverUntil[place.address!] = performance.now() + PASSED_OVER_FOR;
        delete place.connection;
        delete place.open;
      }
    }
  }

  /** Returns an idle connection, else a new one, else the connection with the fewest calls. */
  #bestPlace(): Place {
    const cost = ({ calls, connection }: Place): number => calls * 2 + (connection ? 0 : 1);
    return this.#places.reduce((best, place) => (cost(place) < cost(best) ? place : best));
  }

  async #open(place: Place): Promise<Connection> {
    const index = (place.address = this.#pickAddress());
    try {
      const connection = await Connection.open(this.#addresses[index]!, this.#times);
      this.#passedOverUntil[index] = 0;
      if (this.#isClosed) connection.close();
      return (place.open = connection);
    } catch (error) {
      this.#passedOverUntil[index] = performance.now() + PASSED_OVER_FOR;
      delete place.connection;
      throw error;
    }
  }

  /**
   * Returns the next gateway in turn that is not passed over. If all gateways are passed over, it returns the gateway that may be used
   * again first.
   */
  #pickAddress(): number {
    const now = performance.now();
    const inOrder = this.#addresses.map((_, i) => (this.#nextAddress + i) % this.#addresses.length);
    const picked =
      inOrder.find((i) => this.#passedOverUntil[i]! <= now) ??
      inOrder.reduce((a, b) => (this.#passedOverUntil[b]! < this.#passedOverUntil[a]! ? b : a));
    this.#nextAddress = picked + 1;
    return picked;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new CrawlError('CLOSED', 'the store is closed');
  }
}
