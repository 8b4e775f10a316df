import { setMaxListeners } from 'node:events';
import { CrawlError } from '../../../../packages/errors/index.js';
import type { Call } from '../thrift/messages.js';
import { Connection, nameOf, type ConnectionTimes, type GatewayAddress } from './connection.js';
import { GatewayFailure, mayPass } from './failure.js';

/** How long what may take, in milliseconds. */
export interface GatewayTimes extends ConnectionTimes {
  /** After so long, a call that keeps failing is not tried again. */
  readonly giveUp: number;
  /** The first pause before a call is tried again; each is twice as long as the one before, up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
}

/**
 * A gateway answers within its `hbase.client.operation.timeout`, 60 s where the death of a server is to be ridden out; servers
 * of HBase take 10 to 30 s to take over from a dead one, and up to two minutes with settings as they come.
 */
export const GATEWAY_TIMES: GatewayTimes = {
  connect: 5_000,
  answer: 75_000,
  giveUp: 120_000,
  firstPause: 300,
  longestPause: 5_000,
};

/** Each takes a thread of a gateway for as long as it is open. */
const MOST_CONNECTIONS = 4;
/** A gateway that could not be reached, or was lost, is passed over for so many milliseconds, where there is another. */
const PASSED_OVER_FOR = 5_000;

/** Where a connection may be. */
interface Place {
  /** Being opened, or open. */
  connection?: Promise<Connection>;
  open?: Connection;
  /** Of the gateway that it is to, among the addresses. */
  address?: number;
  /** Calls under way by it. */
  calls: number;
}

/**
 * Connections to some gateways of one HBase, opened when they are needed. A call goes to the one with the fewest calls
 * under way; one that fails, and may pass later, is made again: by another gateway, where the connection was lost and there is one.
 */
export class Gateways {
  readonly #addresses: readonly GatewayAddress[];
  readonly #times: GatewayTimes;
  readonly #places: readonly Place[];
  /** When each gateway may be tried again, by the clock of `performance`. */
  readonly #passedOverUntil: number[];
  #nextAddress: number;
  #isClosed = false;
  readonly #closing = new AbortController();

  constructor(addresses: readonly GatewayAddress[], times: GatewayTimes = GATEWAY_TIMES) {
    this.#addresses = addresses;
    this.#times = times;
    // Any number of calls may wait for their next attempt, and each ends when it is aborted.
    setMaxListeners(0, this.#closing.signal);
    this.#places = Array.from({ length: MOST_CONNECTIONS }, () => ({ calls: 0 }));
    this.#passedOverUntil = addresses.map(() => 0);
    // So that many processes do not all begin with the first.
    this.#nextAddress = Math.floor(Math.random() * addresses.length);
  }

  /** As in a URL: `host:port,host:port`. */
  get name(): string {
    return this.#addresses.map(nameOf).join(',');
  }

  /**
   * @param beforeAgain called before the call is made again: it may have been made already, and the answer lost
   * @param giveUp ms after which it is not tried again
   * @throws GatewayFailure the last one; CrawlError CLOSED
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
        const pause = Math.min(this.#times.firstPause * 2 ** (attempts - 1), this.#times.longestPause);
        if (performance.now() - began + pause > giveUp) throw error;
        // Spread, so that those whose calls failed together do not come back together.
        await this.#pause(pause * (0.5 + Math.random() / 2));
        beforeAgain?.();
      }
    }
  }

  /** Ends all connections; calls under way fail with CLOSED. Calling it again does nothing. */
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
        // Others may answer, where it was lost or gave no answer.
        this.#passedOverUntil[place.address!] = performance.now() + PASSED_OVER_FOR;
        delete place.connection;
        delete place.open;
      }
    }
  }

  /** An idle connection, else one more, else the one with the fewest calls. */
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

  /** The next in turn that is not passed over; where all are, the one whose time is up first. */
  #pickAddress(): number {
    const now = performance.now();
    const inTurn = this.#addresses.map((_, i) => (this.#nextAddress + i) % this.#addresses.length);
    const picked =
      inTurn.find((i) => this.#passedOverUntil[i]! <= now) ??
      inTurn.reduce((a, b) => (this.#passedOverUntil[b]! < this.#passedOverUntil[a]! ? b : a));
    this.#nextAddress = picked + 1;
    return picked;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }
}
