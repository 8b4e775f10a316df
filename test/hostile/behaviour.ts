import type { Socket } from 'node:net';

/** One request to a hostile host. */
export interface Ask {
  /** Without the port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** The number of requests for this path of this host so far, from 1. */
  readonly time: number;
  /** The number of requests to this host so far, from 1. */
  readonly visit: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For answers that are written directly to the socket. */
  readonly socket: Socket;
  /** The URL of a host and path on this server: `http://<host>:<port><path>`. */
  readonly at: (host: string, path?: string) => string;
}

/** The bytes to send, or nothing if the answer is written to the socket. */
export type Answer = (ask: Ask) => string | Uint8Array | void;

/**
 * One way in which a host may try to harm a crawl. The behaviour owns `<name>.test` and all its subdomains. It also serves a
 * good page, `/good`, which the crawl must get if the host allows it.
 *
 * Pages are written as path, or as `host/path` if they are on another host; never with a port.
 */
export interface Behaviour {
  readonly name: string;
  readonly answer?: Answer;
  /** Default: 404. */
  readonly robots?: Answer;
  /** The DNS answers for its hosts, one for each lookup; the last one is repeated. Default: loopback. */
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[] | 'fails' | 'hangs'>>;
  /** The port of its pages. Default: plain. */
  readonly port?: PortName;
  /** true: https. */
  readonly tls?: boolean;
  /** Pages that are injected in addition to `/good`. Default: `/`. */
  readonly seeds?: readonly string[];
  /**
   * The end of every page of this host, and of every page that it leads to: status, code of the fetch, and code of the parse.
   * Several if chance decides which limit is reached first.
   */
  readonly ends: Readonly<Record<string, string | readonly string[]>>;
  /** The end of `/good`. Default: GOOD. null: there is no such page. */
  readonly good?: Ends | null;
  /** What it adds to the counters of the crawl, beyond the ends of its pages. */
  readonly counters?: Readonly<Record<string, number>>;
  /** What its rows must contain, by page. */
  readonly holds?: Readonly<Record<string, object>>;
  /** Maximum number of requests to its hosts. Default: three for each page. */
  readonly requests?: number;
}

/**
 * `plain`: HTTP; `tls`: TLS by name; `mute`: accepts and sends nothing; `shut`: accepts and closes; `closed`: no server
 * listens.
 */
export type PortName = 'plain' | 'tls' | 'mute' | 'shut' | 'closed';

export const GOOD = 'fetched success success';
/** Fetched, but cut off. */
export const CUT = 'fetched success(cut) success';
export const REFUSED = 'gone private_address';
/** In the table, but never requested: too far, or the host has a back-off. The page stays due. */
export const UNSEEN = 'unfetched';

/** An end, or several if chance decides. */
export type Ends = string | readonly string[];

/** No answer to any request. If the run ended before the third one, the row is unchanged. */
export const LOST = (...codes: readonly string[]): Ends => [...codes.map((code) => `unfetched ${code}`), UNSEEN];

/** The same end for many pages. */
export function all(end: string, ...pages: readonly string[]): Record<string, string> {
  return Object.fromEntries(pages.map((page) => [page, end]));
}

/** Calls `make` for every number from `first` to `last`. */
export function range<T>(first: number, last: number, make: (n: number) => T): T[] {
  return Array.from({ length: last - first + 1 }, (_, i) => make(first + i));
}
