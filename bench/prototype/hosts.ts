import type { RobotsRules } from '../../packages/fetch/robots/robots.js';
import type { GroupUrl } from './group.js';
import type { Server } from './http-client.js';

/** A URL that a worker knows. */
export interface Target extends GroupUrl {
  /** A host of this worker; undefined for a host of another worker. */
  readonly host: Host | undefined;
  /** Path and query. */
  readonly path: string;
  tries: number;
  /** The last page with a link to it, and the index of that link. */
  page: number;
  link: number;
}

/** A host of a worker, with its pages to fetch. */
export interface Host {
  /** With the port, as in the header. */
  readonly name: string;
  readonly server: Server;
  /** Pages before `next` are done. */
  readonly queue: Target[];
  next: number;
  /** `unknown` until its robots.txt was requested. */
  robots: 'unknown' | 'asked' | 'none' | 'unavailable' | RobotsRules;
  delayMs: number;
  /** Whether it is in the queue of hosts that may be requested. */
  isInLine: boolean;
  /** Whether a request runs, or its last one began less than its delay ago. */
  isResting: boolean;
}

/** The hosts of a worker that may be requested, in turn. */
export class Hosts {
  readonly #byName = new Map<string, Host>();
  readonly #line: Host[] = [];
  readonly #delayMs: number;
  /** Number of pages in all queues. */
  waiting = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** @param origin of http */
  of(origin: string): Host {
    const known = this.#byName.get(origin);
    if (known) return known;
    const { hostname, host, port } = new URL(origin);
    const server = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), idle: [] };
    const made: Host = {
      name: host,
      server,
      queue: [],
      next: 0,
      robots: 'unknown',
      delayMs: this.#delayMs,
      isInLine: false,
      isResting: false,
    };
    this.#byName.set(origin, made);
    return made;
  }

  add(target: Target & { readonly host: Host }): void {
    target.host.queue.push(target);
    this.waiting++;
    this.lineUp(target.host);
  }

  /** Takes the next host from the queue. The caller must queue it again. */
  nextHost(): Host | undefined {
    const host = this.#line.shift();
    if (host) host.isInLine = false;
    return host;
  }

  /** The next page of a host. */
  takePage(host: Host): Target {
    const target = host.queue[host.next++]!;
    this.waiting--;
    if (host.next >= 1024 && host.next * 2 >= host.queue.length) {
      host.queue.splice(0, host.next);
      host.next = 0;
    }
    return target;
  }

  /** Queues a host if it has pages and may be requested. */
  lineUp(host: Host): void {
    if (host.isInLine || host.isResting || host.robots === 'asked' || host.next === host.queue.length) return;
    host.isInLine = true;
    this.#line.push(host);
  }
}
