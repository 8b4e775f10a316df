import type { Socket } from 'node:net';

/** One request to a hostile host. */
export interface Ask {
  /** Without the port. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** How often this path of this host was asked for, from 1. */
  readonly time: number;
  /** How many requests this host had, from 1. */
  readonly visit: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** For answers that are made on the socket. */
  readonly socket: Socket;
  /** `http://<host>:<port><path>`, of this server. */
  readonly at: (host: string, path?: string) => string;
}

/** Bytes to send as they are, or nothing where the answer is made on the socket. */
export type Answer = (ask: Ask) => string | Uint8Array | void;

/**
 * Something that a host may do to a crawl. It has the host `<name>.test` and all below it to itself. Next to what it does it
 * serves a good page, `/good`, which the crawl has to get wherever the host lets it.
 *
 * Pages are written as path, or as `host/path` where they are elsewhere; never with a port.
 */
export interface Behaviour {
  readonly name: string;
  readonly answer?: Answer;
  /** Default: 404. */
  readonly robots?: Answer;
  /** What DNS says of its hosts: an answer for each time it is asked, the last one stays. Default: loopback. */
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[] | 'fails' | 'hangs'>>;
  /** Which port its pages are on. Default: plain. */
  readonly port?: PortName;
  /** https where true. */
  readonly tls?: boolean;
  /** Pages injected next to `/good`. Default: `/`. */
  readonly seeds?: readonly string[];
  /**
   * How every page of this host, and every page that it leads to, ends: status, code of the fetch, and code of the parse.
   * Several where chance decides which bound is met first.
   */
  readonly ends: Readonly<Record<string, string | readonly string[]>>;
  /** How `/good` ends. Default: GOOD. null: there is none. */
  readonly good?: Ends | null;
  /** What it adds to the counters of the crawl, beyond those that the ends say. */
  readonly counters?: Readonly<Record<string, number>>;
  /** What its rows must hold, by page. */
  readonly holds?: Readonly<Record<string, object>>;
  /** Requests that its hosts see at the most. Default: three for each page. */
  readonly requests?: number;
}

/** `plain`: HTTP; `tls`: TLS by name; `mute`: accepts and says nothing; `shut`: accepts and closes; `closed`: nobody listens. */
export type PortName = 'plain' | 'tls' | 'mute' | 'shut' | 'closed';

export const GOOD = 'fetched success success';
/** Fetched, but not to its end. */
export const CUT = 'fetched success(cut) success';
export const REFUSED = 'gone private_address';
/** Known and never asked for: too far, or its host is left alone. It stays due. */
export const UNSEEN = 'unfetched';

/** An end, or several of which chance decides. */
export type Ends = string | readonly string[];

/** No answer, as often as it was asked; where that was not three times before the end of the run, it was left as it was. */
export const LOST = (...codes: readonly string[]): Ends => [...codes.map((code) => `unfetched ${code}`), UNSEEN];

/** The same end for many pages. */
export function all(end: string, ...pages: readonly string[]): Record<string, string> {
  return Object.fromEntries(pages.map((page) => [page, end]));
}

/** `make` of every number from `first` to `last`. */
export function range<T>(first: number, last: number, make: (n: number) => T): T[] {
  return Array.from({ length: last - first + 1 }, (_, i) => make(first + i));
}
