import type { Settings } from '../../config/index.js';
import type { RuleTexts } from '../../packages/webcrawl/plugins/page-plugins.js';

/** The start data of a fetch worker. */
export interface WorkerTask {
  /** Its number among the workers, from 0. */
  readonly worker: number;
  readonly workers: number;
  readonly settings: Settings;
  readonly rules: RuleTexts;
  /** The hosts that links may lead to. Absent: any. */
  readonly hosts: readonly string[] | undefined;
  /** Number of requests in flight. */
  readonly concurrency: number;
  /** Milliseconds between two requests to a host. Above 0 a host has one request in flight. */
  readonly delayMs: number;
  /** The folder of segments, and the number of its first one. Its next segments are `workers` numbers further on. */
  readonly folder: string;
  readonly firstSegment: number;
}

/** Messages of the table thread to a worker. */
export type ToWorker =
  /** Normalised URLs of its hosts: pages to fetch, or, with `isKnown`, pages that were fetched before. */
  { readonly kind: 'urls'; readonly urls: readonly string[]; readonly isKnown: boolean } | { readonly kind: 'end' };

/** Messages of a worker to the table thread. */
export type FromWorker =
  | { readonly kind: 'group'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It has nothing to do, after this number of messages with URLs. */
  | { readonly kind: 'idle'; readonly received: number }
  | { readonly kind: 'ended' };

/** The worker that owns a host. */
export function ownerOf(hostname: string, workers: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < hostname.length; i++) hash = Math.imul(hash ^ hostname.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % workers;
}

/** The host of a normalised URL, without its port. */
export function hostnameOf(url: string): string {
  const start = url.indexOf('://') + 3;
  const end = url.indexOf('/', start);
  const colon = url.lastIndexOf(':', end);
  return url.slice(start, colon > start && url[end - 1] !== ']' ? colon : end);
}
