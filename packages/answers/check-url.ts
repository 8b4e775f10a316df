import {
  RULES_PLUGIN,
  rowKeyOf,
  type Rule,
  traceUrl,
  domainOf,
  hostOf,
  readableUrl,
  type RulesInForce,
} from '../core/index.js';

/** How the rules change, accept or reject one URL. Texts may be untrusted. */
export interface UrlCheck {
  readonly url: string;
  /** The normalised URL. Absent if no table can hold the URL; then `key`, `host` and `domain` are absent too. */
  readonly normalized?: string;
  /** The URL as people read it, if that differs from the normalised URL. Do not use it in requests. */
  readonly readableUrl?: string;
  readonly accepted: boolean;
  /** The first plugin that rejects the URL; `url` if the URL parser rejects it. */
  readonly rejectedBy?: string;
  readonly rule?: string;
  /** The rule of the table that rejects or accepts the URL. */
  readonly tableRule?: Rule;
  /** Whether a `relevant` rule of the table matches the URL. Absent: the table has no such rule. */
  readonly relevant?: boolean;
  readonly key?: string;
  readonly host?: string;
  readonly domain?: string;
}

export function checkUrl({ plugins, ruleSet }: RulesInForce, url: string): UrlCheck {
  const { verdict, normalized } = traceUrl(plugins, url, 'inject');
  const tableRule = normalized === undefined ? undefined : ruleSet.decides(normalized);
  const isRelevant = normalized === undefined ? undefined : ruleSet.relevanceOf(normalized);
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
    ...(isRelevant !== undefined && { relevant: isRelevant }),
    ...(normalized !== undefined && { key: rowKeyOf(normalized) }),
    ...(host !== undefined && { host, domain: domainOf(host) }),
  };
}
