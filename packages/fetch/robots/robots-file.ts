import type { FetchOutcome, Protocol } from '../../plugin-api/index.js';
import { robotsHealth } from '../http/host-health.js';
import { ROBOTS_LIMIT } from './robots.js';

/** A robots.txt, or that there is none. */
export interface RobotsFile {
  /** The HTTP status that the redirects, if any, led to. */
  readonly status: number;
  /** The file, one character (U+0000 to U+00FF) per byte; absent when there is none, and then all is allowed. */
  readonly body?: string;
}

/** The file is not available now, so nothing may be fetched yet. */
export interface RobotsUnavailable {
  readonly kind: 'unavailable';
  /** One line; untrusted. */
  readonly message: string;
  /** Where it was not available: at the origin, or where redirects led to. */
  readonly url: string;
  /** The outcome there; `aborted` where it was given up before there was one. */
  readonly code: string;
  readonly http?: number;
  /** The server asked to wait so long, in seconds. */
  readonly retryAfter?: number;
  /** The host itself may not be connected to, so none of its pages can be fetched. */
  readonly refused?: true;
}

/** The file is said to be elsewhere. */
export interface RobotsMoved {
  readonly kind: 'moved';
  /** Null where nobody can go there. */
  readonly target: string | null;
  readonly status: number;
}

/** Codes of requests that we did not make. */
const REFUSALS: ReadonlySet<string> = new Set(['private_address', 'bad_port']);

/**
 * Asks for a robots.txt once.
 * @param isOwn the origin's own is asked for; no redirect led here
 */
export async function fetchRobots(
  protocol: Protocol,
  url: string,
  isOwn: boolean,
): Promise<RobotsFile | RobotsMoved | RobotsUnavailable> {
  // One byte more than is read, so that the parser sees that the file was cut.
  const outcome = await protocol.fetch({ url, contentLimit: ROBOTS_LIMIT + 1 });
  if (REFUSALS.has(outcome.code)) {
    const { message = outcome.code } = outcome;
    // It says nothing about robots.txt, so it must not be kept as an absent one.
    if (isOwn) return { kind: 'unavailable', message, url, code: outcome.code, refused: true };
    return { kind: 'unavailable', message: `robots.txt: redirected to ${message}`, url, code: outcome.code };
  }
  if (outcome.kind !== 'redirect') return fileOf(outcome, url);
  return { kind: 'moved', target: outcome.target, status: outcome.http ?? 0 };
}

function fileOf(outcome: Exclude<FetchOutcome, { kind: 'redirect' }>, url: string): RobotsFile | RobotsUnavailable {
  const { code, http } = outcome;
  const status = http ?? 0;
  if (outcome.kind === 'content') {
    return {
      status,
      body: Buffer.from(outcome.body)
        .subarray(0, ROBOTS_LIMIT + 1)
        .toString('latin1'),
    };
  }
  const isRetry = outcome.kind === 'retry';
  if (outcome.kind === 'gone' || (isRetry && robotsHealth(outcome) === 'well')) return { status };
  const { message = `HTTP ${status}` } = outcome;
  const retryAfter = isRetry ? outcome.retryAfter : undefined;
  return {
    kind: 'unavailable',
    message: `robots.txt: ${message}`,
    url,
    code,
    ...(http !== undefined && { http }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
