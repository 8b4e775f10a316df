import { PATTERN_INPUT_LIMIT, type SafePattern } from '../patterns/index.js';
import type { UrlRule } from '../../webtable/index.js';
import { hostOf } from '../url/index.js';
import { createPrefixIndex, type PrefixIndex } from './prefix-index.js';
import { compareRules } from './rule-order.js';

/** A rule whose pattern is ready; `pattern` is absent where it is a prefix. */
export interface ReadyRule {
  readonly rule: UrlRule;
  readonly pattern?: SafePattern;
}

/** Finds the first rule, in the order of decision, that matches a URL; undefined where none does. */
export type UrlMatcher = (url: string) => UrlRule | undefined;

/**
 * Makes a matcher. The time for a URL does not grow with the number of hosts and domains that have rules, and with the logarithm of
 * the prefixes of one; only the regular expressions of one host, of its domains, and those for all are tried in turn.
 */
export function createUrlMatcher(rules: readonly ReadyRule[]): UrlMatcher {
  const byScope = new Map<string, ReadyRule[]>();
  for (const ready of [...rules].sort((a, b) => compareRules(a.rule, b.rule))) {
    const found = byScope.get(ready.rule.scope);
    if (found) found.push(ready);
    else byScope.set(ready.rule.scope, [ready]);
  }
  const scopes = new Map(Array.from(byScope, ([scope, found]) => [scope, createScopeMatcher(found)]));
  const ofAll = scopes.get('*');
  const hasDomains = [...scopes.keys()].some((scope) => scope.startsWith('domain:'));
  const hasHosts = hasDomains || scopes.size > (ofAll ? 1 : 0);

  return (url) => {
    if (hasHosts) {
      const host = hostOf(url);
      const found = scopes.get(`host:${host}`)?.(url);
      if (found) return found;
      for (let domain: string | undefined = hasDomains ? host : undefined; domain !== undefined;) {
        const wider = scopes.get(`domain:${domain}`)?.(url);
        if (wider) return wider;
        const dot = domain.indexOf('.');
        domain = dot < 0 ? undefined : domain.slice(dot + 1);
      }
    }
    return ofAll?.(url);
  };
}

/** @param rules of one scope, in the order of decision */
function createScopeMatcher(rules: readonly ReadyRule[]): UrlMatcher {
  const paths: { prefix: string; rank: number }[] = [];
  const urls: { prefix: string; rank: number }[] = [];
  const patterns: { readonly pattern: SafePattern; readonly rank: number }[] = [];
  for (const [rank, { rule, pattern }] of rules.entries()) {
    if (pattern) patterns.push({ pattern, rank });
    else if ('prefix' in rule.pattern) {
      const { prefix } = rule.pattern;
      (prefix.startsWith('/') ? paths : urls).push({ prefix, rank });
    }
  }
  const ofPaths: PrefixIndex | undefined = paths.length > 0 ? createPrefixIndex(paths) : undefined;
  const ofUrls: PrefixIndex | undefined = urls.length > 0 ? createPrefixIndex(urls) : undefined;

  return (url) => {
    let best = ofPaths?.rankOf(pathOf(url)) ?? Infinity;
    if (ofUrls) best = Math.min(best, ofUrls.rankOf(url));
    const shown = url.length > PATTERN_INPUT_LIMIT ? url.slice(0, PATTERN_INPUT_LIMIT) : url;
    for (const { pattern, rank } of patterns) {
      if (rank > best) break;
      if (pattern.test(shown)) return rules[rank]!.rule;
    }
    return rules[best]?.rule;
  };
}

/** Path and query of a normalised URL. */
function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}
