import { messageOf } from '../../errors/index.js';
import { parseRobots, type RobotsLine } from '../../fetch/index.js';
import { parseUrl } from '../../url/index.js';

/** What a robots.txt says to one URL. Texts are untrusted. */
export interface RobotsCheck {
  readonly url: string;
  readonly allowed: boolean;
  /** The line that decides; absent where none matches. */
  readonly line?: RobotsLine;
  /** Seconds. */
  readonly crawlDelay?: number;
  /** Why the URL cannot be looked up, and is not allowed for that. */
  readonly error?: string;
}

/** A robots.txt, ready to be asked. */
export interface RobotsChecker {
  /** As written in the file; untrusted. */
  readonly sitemaps: readonly string[];
  /** Looks up a URL of any host, or a path that begins with `/`. */
  check(url: string): RobotsCheck;
}

/**
 * Reads a robots.txt for one crawler, by RFC 9309. Any bytes are a robots.txt.
 * @param agents names looked up, the preferred first
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
