import type { Settings } from '../../config/index.js';
import type { RuleTexts } from '../../packages/webcrawl/page-plugins.js';

/** What a fetch worker is started with. */
export interface WorkerTask {
  /** Its number among the workers, from 0. */
  readonly worker: number;
  readonly workers: number;
  readonly settings: Settings;
  readonly rules: RuleTexts;
  /** The hosts that links may lead to; absent: any. */
  readonly hosts: readonly string[] | undefined;
  /** Requests in flight. */
  readonly concurrency: number;
  /** Milliseconds between two requests of a host; above 0 a host has one request in flight. */
  readonly delayMs: number;
  /** Where segments go, and the number of its first one; its next are `workers` further on. */
  readonly folder: string;
  readonly firstSegment: number;
}

/** What the table thread tells a worker. */
export type ToWorker =
  /** URLs of its hosts, normalised: to be fetched, or, where they are `known`, fetched before. */
  { readonly kind: 'urls'; readonly urls: readonly string[]; readonly isKnown: boolean } | { readonly kind: 'end' };

/** What a worker tells the table thread. */
export type FromWorker =
  | { readonly kind: 'group'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It has nothing to do, after so many messages with URLs. */
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
