import { MAX_PATTERN_INPUT_CHARACTERS, type SafePattern } from '../patterns/index.js';
import type { UrlRule } from '../../webtable/index.js';
import { hostOf } from '../url/index.js';
import { atOnce, type Steps, sortSteps } from '../util/index.js';

/** A rule with its compiled pattern. `pattern` is absent for a rule with a prefix. */
export interface ReadyRule {
  readonly rule: UrlRule;
  readonly pattern?: SafePattern;
}

/** Returns the first rule, in order of evaluation, that matches a URL. Undefined: no rule matches. */
export type UrlMatcher = (url: string) => UrlRule | undefined;

/**
 * Makes a matcher. The time for a URL does not grow with the number of hosts and domains with rules. It grows with the logarithm of the
 * number of prefixes of one scope. Regular expressions are tried one after another, but only those for the host of the URL, for its
 * domains, and for all hosts.
 * @param rules in order of evaluation
 */
export function* createUrlMatcher(rules: readonly ReadyRule[]): Steps<UrlMatcher> {
  const byScope = new Map<string, ReadyRule[]>();
  for (const [i, ready] of rules.entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    const found = byScope.get(ready.rule.scope);
    if (found) found.push(ready);
    else byScope.set(ready.rule.scope, [ready]);
  }
  const matchers = new Map<string, UrlMatcher>();
  for (const [scope, found] of byScope)
    if (found.length > MAX_RULES_COMPILED_LATE) matchers.set(scope, yield* createScopeMatcher(found));
  const matcherOf = (scope: string): UrlMatcher | undefined => {
    const rules = byScope.get(scope);
    let found = matchers.get(scope);
    if (!found && rules) matchers.set(scope, (found = atOnce(createScopeMatcher(rules))));
    return found;
  };
  const ofAll = matcherOf('*');
  let hasDomains = false;
  for (const scope of byScope.keys()) hasDomains ||= scope.startsWith('domain:');
  const hasHosts = hasDomains || byScope.size > (ofAll ? 1 : 0);

  return (url) => {
    if (hasHosts) {
      const host = hostOf(url);
      const found = matcherOf(`host:${host}`)?.(url);
      if (found) return found;
      for (let domain: string | undefined = hasDomains ? host : undefined; domain !== undefined;) {
        const wider = matcherOf(`domain:${domain}`)?.(url);
        if (wider) return wider;
        const dot = domain.indexOf('.');
        domain = dot < 0 ? undefined : domain.slice(dot + 1);
      }
    }
    return ofAll?.(url);
  };
}

/**
 * A scope with at most this number of rules is compiled when a URL of this scope is tested for the first time. If there are very many
 * scopes, a crawl tests URLs of only a few.
 */
const MAX_RULES_COMPILED_LATE = 100;

const RULES_PER_STEP = 1000;

/** @param rules of this scope, in order of evaluation */
function* createScopeMatcher(rules: readonly ReadyRule[]): Steps<UrlMatcher> {
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
  const rankOfPath = paths.length > 0 ? yield* createRankLookup(paths) : undefined;
  const rankOfUrl = urls.length > 0 ? yield* createRankLookup(urls) : undefined;

  return (url) => {
    let best = rankOfPath?.(pathOf(url)) ?? Infinity;
    if (rankOfUrl) best = Math.min(best, rankOfUrl(url));
    const shown = url.length > MAX_PATTERN_INPUT_CHARACTERS ? url.slice(0, MAX_PATTERN_INPUT_CHARACTERS) : url;
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

interface Node {
  readonly prefix: string;
  /** The index of the longest other prefix with which this prefix begins. -1: there is no such prefix. */
  readonly parent: number;
  /** The lowest rank of this prefix and of all prefixes with which it begins. */
  readonly rank: number;
}

const PREFIXES_PER_STEP = 1000;

/**
 * Makes the function that returns the lowest rank among the prefixes of a string. Infinity: it has none of these prefixes. The
 * time of a call grows with the logarithm of the number of prefixes, and with the depth of their nesting.
 */
function* createRankLookup(
  prefixes: readonly { readonly prefix: string; readonly rank: number }[],
): Steps<(text: string) => number> {
  const lowest = new Map<string, number>();
  for (const [i, { prefix, rank }] of prefixes.entries()) {
    if (i % PREFIXES_PER_STEP === 0) yield;
    lowest.set(prefix, Math.min(rank, lowest.get(prefix) ?? Infinity));
  }
  const nodes: Node[] = [];
  for (const prefix of yield* sortSteps([...lowest.keys()], (a, b) => (a < b ? -1 : 1))) {
    if (nodes.length % PREFIXES_PER_STEP === 0) yield;
    let parent = nodes.length - 1;
    while (parent >= 0 && !prefix.startsWith(nodes[parent]!.prefix)) parent = nodes[parent]!.parent;
    const rank = Math.min(lowest.get(prefix)!, nodes[parent]?.rank ?? Infinity);
    nodes.push({ prefix, parent, rank });
  }
  return (text) => {
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (nodes[middle]!.prefix <= text) low = middle + 1;
      else high = middle;
    }
    // Only the last prefix that sorts before the text, or a parent of this prefix, may be a prefix of the text.
    let at = low - 1;
    while (at >= 0 && !text.startsWith(nodes[at]!.prefix)) at = nodes[at]!.parent;
    return nodes[at]?.rank ?? Infinity;
  };
}
