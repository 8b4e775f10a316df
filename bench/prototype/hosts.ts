import type { RobotsRules } from '../../packages/fetch/robots/robots.js';
import type { GroupUrl } from './group.js';
import type { Server } from './http-client.js';

/** A URL that a worker knows. */
export interface Target extends GroupUrl {
  /** Of the hosts of this worker; undefined for one of another. */
  readonly host: Host | undefined;
  /** Path and query. */
  readonly path: string;
  tries: number;
  /** The last page with a link to it, and the place of the link there. */
  page: number;
  link: number;
}

/** A host of a worker, with the pages that are to be fetched. */
export interface Host {
  /** With the port, as the header has it. */
  readonly name: string;
  readonly server: Server;
  /** Those before `next` are done. */
  readonly queue: Target[];
  next: number;
  /** `unknown` until its robots.txt has been asked for. */
  robots: 'unknown' | 'asked' | 'none' | 'unavailable' | RobotsRules;
  delayMs: number;
  /** It is in the line of those that may be asked. */
  isInLine: boolean;
  /** It is being asked, or was asked less than its delay ago. */
  isResting: boolean;
}

/** The hosts of a worker that may be asked, in turn. */
export class Hosts {
  readonly #byName = new Map<string, Host>();
  readonly #line: Host[] = [];
  readonly #delayMs: number;
  /** Pages in all queues. */
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

  /** The host whose turn it is; it is lined up again by who has asked it. */
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

  /** Puts a host in line where it has a page, and may be asked. */
  lineUp(host: Host): void {
    if (host.isInLine || host.isResting || host.robots === 'asked' || host.next === host.queue.length) return;
    host.isInLine = true;
    this.#line.push(host);
  }
}
