import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../errors/index.js';
import {
  isPluginError,
  type FetchOutcome,
  type FetchRequest,
  type Plugin,
  type Protocol,
} from '../../plugin-api/index.js';
import { deadline, type Late } from '../../util/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import type { SeedHosts } from '../hosts/seed-hosts.js';

/** Returns the last plugin whose protocol supports the scheme of a URL. */
export function protocolFor(crawl: Pick<CrawlContext, 'plugins'>, url: string): Plugin | undefined {
  const scheme = url.slice(0, url.indexOf(':'));
  return crawl.plugins.findLast(({ protocol }) => protocol?.schemes.includes(scheme));
}

/** What a request uses. */
export type Requesting = Pick<CrawlContext, 'plugins' | 'settings'>;

/** A protocol should end each request at `http.timeLimitMs`. After this multiple of the limit, a request is considered hung. */
const GRACE = 2;

/**
 * Fetches a URL with its protocol. If the protocol throws, or returns a wrong type, the fetch has failed and may be retried. If no outcome
 * arrives within twice `http.timeLimitMs`, the fetch has failed with code `too_slow`; it is aborted, and a late outcome is ignored. If the
 * signal aborts, the protocol has one more turn of the event loop to return an outcome. After that the fetch has failed with code
 * `aborted`.
 */
export async function request(crawl: Requesting, request: FetchRequest): Promise<FetchOutcome> {
  const plugin = protocolFor(crawl, request.url);
  if (!plugin?.protocol) return { kind: 'gone', code: 'unsupported_scheme' };
  const { name, protocol } = plugin;
  const limit = GRACE * crawl.settings.http.timeLimitMs;
  const controller = new AbortController();
  if (request.signal?.aborted) controller.abort();
  try {
    const answer = Promise.resolve<unknown>(protocol.fetch({ ...request, signal: controller.signal }));
    const giveUp = (why: Late): unknown => {
      controller.abort();
      const code = why === 'time' ? 'too_slow' : 'aborted';
      const message = why === 'time' ? `no outcome after ${limit} ms` : 'the request was aborted';
      const outcome = { kind: 'retry', code, message: `${name}: ${message}` };
      return why === 'time' ? outcome : Promise.race([answer, setImmediate(outcome)]);
    };
    const outcome = await deadline(answer, limit, giveUp, request.signal);
    if (isOutcome(outcome)) return outcome;
    return { kind: 'retry', code: `plugin_error_${name}`, message: 'expected an outcome, found something else' };
  } catch (error) {
    return { kind: 'retry', code: `plugin_error_${name}`, message: messageOf(error) };
  }
}

/** Whether a protocol of a plugin has returned an outcome. A value of another type must not be written to a row. */
function isOutcome(value: unknown): value is FetchOutcome {
  if (typeof value !== 'object' || value === null) return false;
  const found = value as Readonly<Record<string, unknown>>;
  const { kind, code, http, message, headers, retryAfter } = found;
  return (
    typeof code === 'string' &&
    code !== '' &&
    (http === undefined || Number.isInteger(http)) &&
    (message === undefined || typeof message === 'string') &&
    (retryAfter === undefined || typeof retryAfter === 'number') &&
    (headers === undefined || isTexts(headers)) &&
    typeof kind === 'string' &&
    (KINDS.get(kind)?.(found) ?? false)
  );
}

type Outcome = Readonly<Record<string, unknown>>;

/** Checks the fields that only one kind of outcome has. */
const KINDS: ReadonlyMap<string, (outcome: Outcome) => boolean> = new Map<string, (outcome: Outcome) => boolean>([
  [
    'content',
    ({ body, truncated, contentType }) =>
      body instanceof Uint8Array && typeof truncated === 'boolean' && typeof contentType === 'string',
  ],
  [
    'redirect',
    ({ permanent, target }) => typeof permanent === 'boolean' && (target === null || typeof target === 'string'),
  ],
  ['notmodified', () => true],
  ['gone', () => true],
  ['retry', () => true],
]);

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/**
 * Makes a protocol for robots.txt files. It fetches each URL with the protocol for this URL, also after a redirect to another host.
 * @param onOutcome called with each outcome; if it throws, the fetch ends
 */
export function robotsProtocol(
  crawl: Requesting,
  seedHosts: SeedHosts,
  count: Count,
  onOutcome: (outcome: FetchOutcome) => void = () => {},
): Protocol {
  return {
    schemes: ['http', 'https'],
    async fetch(robots) {
      const allowPrivate = await seedHosts.mayBePrivate(robots.url, robots.signal);
      const outcome = await request(crawl, { ...robots, ...(allowPrivate && { allowPrivate }) });
      if (isPluginError(outcome.code)) count(outcome.code);
      onOutcome(outcome);
      return outcome;
    },
  };
}
