import type { FetchOutcome, Protocol } from '../../plugin-api/index.js';
import { robotsHealth } from '../http/host-health.js';
import { ROBOTS_LIMIT } from './robots.js';

/** A robots.txt, or the fact that an origin has none. */
export interface RobotsFile {
  /** The HTTP status of the answer, after redirects. */
  readonly status: number;
  /** The content of the file. Each character (U+0000 to U+00FF) is one byte. Absent if there is no file. Then everything is allowed. */
  readonly body?: string;
}

/** The result if the file is unavailable. Then no page of the origin may be fetched for now. */
export interface RobotsUnavailable {
  readonly kind: 'unavailable';
  /** One line of untrusted text. */
  readonly message: string;
  /** The URL that was unavailable: the robots.txt of the origin, or a redirect target. */
  readonly url: string;
  /** The code of the outcome at this URL; `aborted` if the request was aborted. */
  readonly code: string;
  readonly http?: number;
  /** Seconds that the server requests to wait. */
  readonly retryAfter?: number;
  /** Set if connections to the host are forbidden. Then no page of the host can be fetched. */
  readonly refused?: true;
}

/** The result if the file redirects to another URL. */
export interface RobotsMoved {
  readonly kind: 'moved';
  /** Null if the target is not a URL that can be fetched. */
  readonly target: string | null;
  readonly status: number;
}

/** Codes of requests that the crawler itself has refused to send. */
const REFUSALS: ReadonlySet<string> = new Set(['private_address', 'bad_port']);

/**
 * Requests a robots.txt once.
 * @param isOwn true for the robots.txt of the origin itself; false for a redirect target
 */
export async function fetchRobots(
  protocol: Protocol,
  url: string,
  isOwn: boolean,
): Promise<RobotsFile | RobotsMoved | RobotsUnavailable> {
  // One byte more than the limit is requested. It shows the parser that the file was cut.
  const outcome = await protocol.fetch({ url, contentLimit: ROBOTS_LIMIT + 1 });
  if (REFUSALS.has(outcome.code)) {
    const { message = outcome.code } = outcome;
    // A refused request says nothing about the file, so the file is not stored as absent.
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
