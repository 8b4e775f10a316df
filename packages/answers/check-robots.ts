import { messageOf } from '../errors/index.js';
import { parseRobots, type RobotsLine, parseUrl } from '../core/index.js';

/** Whether a robots.txt allows one URL. Texts are untrusted. */
export interface RobotsCheck {
  readonly url: string;
  readonly allowed: boolean;
  /** The line that decides whether the URL is allowed. Absent: no line matches. */
  readonly line?: RobotsLine;
  /** The Crawl-delay in seconds. */
  readonly crawlDelay?: number;
  /** Why the URL cannot be checked. Such a URL is not allowed. */
  readonly error?: string;
}

/** A parsed robots.txt, for checking URLs. */
export interface RobotsChecker {
  /** The URLs of sitemaps as written in the file; untrusted. */
  readonly sitemaps: readonly string[];
  /** Checks a URL of any host, or a path that begins with `/`. */
  check(url: string): RobotsCheck;
}

/**
 * Parses a robots.txt for one crawler, by RFC 9309. Any bytes are a valid robots.txt.
 * @param agents names under which the crawler looks for its rules, the preferred one first
 */
export function checkRobots(body: Uint8Array | string, agents: readonly string[]): RobotsChecker {
  const rules = parseRobots(body).rulesFor(agents);
  return {
    sitemaps: rules.sitemaps,
    check(url) {
      let path: string;
      try {
        const { pathname, search } = parseUrl(/^\/(?!\/)/.test(url) ? `http://localhost${url}` : url);
        path = pathname + search;
      } catch (error) {
        return { url, allowed: false, error: messageOf(error) };
      }
      const { allowed, line } = rules.allowed(path);
      return {
        url,
        allowed,
        ...(line && { line }),
        ...(rules.crawlDelay !== undefined && { crawlDelay: rules.crawlDelay }),
      };
    },
  };
}
