import { rowKeyOf } from '../../webtable/index.js';
import { traceUrl } from '../plugin-api/index.js';
import { domainOf, hostOf, readableUrl } from '../url/index.js';
import type { CrawlContext } from './context.js';

/** Settings and plugins: what can be checked without a table. */
export type CheckContext = Pick<CrawlContext, 'settings' | 'plugins'>;

/** What the rules make of one URL. Texts may be untrusted. */
export interface UrlCheck {
  readonly url: string;
  /** Absent where it is no URL that a table can hold, and then `key`, `host` and `domain` are too. */
  readonly normalized?: string;
  /** The same as people read it, where that differs: for the eye alone. */
  readonly readableUrl?: string;
  readonly accepted: boolean;
  /** The first plugin that rejects it; `url` for the URL parser. */
  readonly rejectedBy?: string;
  readonly rule?: string;
  readonly key?: string;
  readonly host?: string;
  readonly domain?: string;
}

/** Runs the normalisers and filters on a URL, as inject does with a seed. */
export function checkUrl(context: Pick<CheckContext, 'plugins'>, url: string): UrlCheck {
  const { verdict, normalized } = traceUrl(context.plugins, url, 'inject');
  const host = normalized === undefined ? undefined : hostOf(normalized);
  const readable = normalized === undefined ? undefined : readableUrl(normalized);
  return {
    url,
    ...(normalized !== undefined && { normalized }),
    ...(readable !== undefined && { readableUrl: readable }),
    accepted: verdict.accepted,
    ...(!verdict.accepted && { rejectedBy: verdict.rejectedBy, rule: verdict.rule }),
    ...(normalized !== undefined && { key: rowKeyOf(normalized) }),
    ...(host !== undefined && { host, domain: domainOf(host) }),
  };
}
