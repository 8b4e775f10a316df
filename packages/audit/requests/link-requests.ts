import {
  NOT_REQUESTED,
  hostHealth,
  isChallenge,
  originOf,
  type BorrowedRequests,
  type FetchOutcome,
} from '../../core/index.js';

export interface LinkResponse {
  readonly kind: 'response';
  readonly code: string;
  readonly http?: number;
  readonly to?: string;
  readonly outcome: FetchOutcome;
}

/** A URL that was not requested, or without a result. `why` completes "not checked: …"; it may be untrusted. */
export interface NotChecked {
  readonly kind: 'not_checked';
  /** The host, with its port unless it is the default one. */
  readonly host: string;
  readonly why: string;
}

export type LinkResult = LinkResponse | NotChecked;

const MAX_REDIRECTS = 10;
const MAX_BYTES = 262_144;

/** Codes by which a host cannot be reached at all. A GET after such a HEAD would fail too. */
const HOST_FAILURES: ReadonlySet<string> = new Set(['dns_failed', 'connect_failed', 'tls_failed']);

/**
 * Makes the function that requests a link with its redirects, in the queues of a crawl.
 *
 * With `headFirst`, it sends HEAD first, and believes a response that finds the page. After another response it sends GET, because many
 * servers respond to HEAD wrongly. Nothing follows after 429 or 503, a challenge, or a host that cannot be reached. An origin is left out when
 * it has responded 429 or 503 until the requests gave up, or has not responded three times. Only the link for which it was requested then
 * has a result.
 */
export function createLinkRequests(requests: BorrowedRequests) {
  /** The origins that are left out, with the reason. Another port of the same host may respond. */
  const leftOut = new Map<string, string>();

  /** Sends one request, without following redirects. */
  async function once(url: string, headOnly: boolean): Promise<LinkResult> {
    const origin = originOf(url);
    const notChecked = (why: string): NotChecked => ({ kind: 'not_checked', host: new URL(url).host, why });
    const before = leftOut.get(origin);
    if (before !== undefined) return notChecked(before);
    const result = await requests.request({ url, contentLimit: MAX_BYTES, ...(headOnly && { headOnly }) });
    if (result.kind === 'left') {
      return notChecked(result.reason === 'given_up' ? 'the time limit was reached' : NOT_REQUESTED[result.reason]);
    }
    const { outcome, isOfPage, asked } = result;
    const { http } = outcome;
    if (isPause(outcome)) leftOut.set(origin, `the host responded ${http} again and again`);
    if (!isOfPage && outcome.kind === 'retry') {
      const why = `the host did not respond (${outcome.code})`;
      leftOut.set(origin, why);
      if (!asked || !HOST_FAILURES.has(outcome.code)) return notChecked(why);
    }
    const code = isChallenge(outcome.headers) ? 'challenge' : outcome.code;
    return { kind: 'response', code, ...(http !== undefined && { http }), outcome };
  }

  async function follow(first: string, headOnly: boolean): Promise<LinkResult> {
    let url = first;
    for (let hops = 0; ; hops++) {
      const result = await once(url, headOnly);
      if (result.kind === 'not_checked') return result;
      const to = hops > 0 ? { to: url } : {};
      const { outcome } = result;
      if (outcome.kind !== 'redirect' || outcome.target === null) return { ...result, ...to };
      if (hops === MAX_REDIRECTS) return { ...result, code: 'redirect_exceeded', ...to };
      url = outcome.target.split('#', 1)[0]!;
    }
  }

  return async (url: string, headFirst: boolean): Promise<LinkResult> => {
    const head = headFirst ? await follow(url, true) : undefined;
    return head && isFinal(head) ? head : follow(url, false);
  };
}

/** Whether a GET would tell nothing more than this response to HEAD. */
function isFinal(head: LinkResult): boolean {
  if (head.kind === 'not_checked') return true;
  const { http, code, outcome } = head;
  if (http === undefined) return HOST_FAILURES.has(code);
  return (http >= 200 && http < 300) || code === 'challenge' || isPause(outcome);
}

function isPause(outcome: FetchOutcome): boolean {
  return outcome.http !== undefined && hostHealth(outcome) === 'troubled';
}
