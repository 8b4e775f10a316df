import { rowKeyOf, type Rule } from '../../webtable/index.js';
import { traceUrl } from '../plugin-api/index.js';
import { RULES_PLUGIN } from '../rules/index.js';
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
  /** The rule of the table that rejects it, or accepts it. */
  readonly tableRule?: Rule;
  /** Whether a rule of the table says that it is worth having; absent where no rule says what is. */
  readonly fit?: boolean;
  readonly key?: string;
  readonly host?: string;
  readonly domain?: string;
}

/** Runs the normalisers and filters on a URL, as inject does with a seed: those of `withRules` where the rules of a table are to be asked. */
export function checkUrl(context: Pick<CrawlContext, 'plugins' | 'ruleSet'>, url: string): UrlCheck {
  const { verdict, normalized } = traceUrl(context.plugins, url, 'inject');
  const { ruleSet } = context;
  const tableRule = normalized === undefined ? undefined : ruleSet?.decides(normalized);
  const isFit = normalized === undefined ? undefined : ruleSet?.fitOf(normalized);
  const isByTable = verdict.accepted || verdict.rejectedBy === RULES_PLUGIN;
  const host = normalized === undefined ? undefined : hostOf(normalized);
  const readable = normalized === undefined ? undefined : readableUrl(normalized);
  return {
    url,
    ...(normalized !== undefined && { normalized }),
    ...(readable !== undefined && { readableUrl: readable }),
    accepted: verdict.accepted,
    ...(!verdict.accepted && { rejectedBy: verdict.rejectedBy, rule: verdict.rule }),
    ...(tableRule && isByTable && { tableRule }),
    ...(isFit !== undefined && { fit: isFit }),
    ...(normalized !== undefined && { key: rowKeyOf(normalized) }),
    ...(host !== undefined && { host, domain: domainOf(host) }),
  };
}
