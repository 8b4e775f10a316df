import { BadRule, compilePattern, versionOf } from '../patterns/index.js';
import {
  RULES_PLUGIN,
  type RelevanceScores,
  type Plugin,
  type ScoringFilter,
  type TableRuleSet,
  type Rewritten,
} from '../plugin-api/index.js';
import type { Rule, StoredRules, UrlRule, WwwRule } from '../../webtable/index.js';
import { atOnce, inTimeSlices, type Steps } from '../util/index.js';
import { contradictionSteps, sortRules, type Contradiction } from './rule-order.js';
import { createUrlMatcher, type ReadyRule, type UrlMatcher } from './url-matcher.js';
import { isGeneratedReject, versionsOf } from './rule-versions.js';
import { describeRuleInFull } from './describe-rule.js';

/** All rules of one version, compiled, with data for editing and judging rules. */
export interface RuleSet extends TableRuleSet {
  /** All readable rules, in order of evaluation. */
  readonly sorted: readonly Rule[];
  /** The active rules that contradict each other. The first call computes them. */
  contradictions(): Promise<readonly Contradiction[]>;
  /** The active rules, in order of evaluation. */
  readonly active: readonly Rule[];
  /** The rules that cannot be used. The key is the id of the rule, the value is the reason. */
  readonly broken: ReadonlyMap<string, string>;
  readonly decides: UrlMatcher;
  /** Makes a matcher like `decides`, but without the `accept` rules. Each call compiles the matcher again. */
  decidesWithoutAccept(): Promise<UrlMatcher>;
  readonly relevantRule: UrlMatcher;
}

/** Compiles rules. A rule that cannot be used is left out and listed in `broken`. */
export function compileRules(stored: StoredRules, scores: RelevanceScores): RuleSet {
  return atOnce(compileSteps(stored, scores));
}

/** Compiles rules in time slices, because a hundred thousand rules take a second. */
export function compileRulesInSlices(stored: StoredRules, scores: RelevanceScores): Promise<RuleSet> {
  return inTimeSlices(compileSteps(stored, scores));
}

const RULES_PER_STEP = 100;

function* compileSteps(stored: StoredRules, scores: RelevanceScores): Steps<RuleSet> {
  const broken = new Map(stored.damaged.map((id) => [id, 'it cannot be read']));
  const byId = new Map(stored.rules.map((rule) => [rule.id, rule]));
  yield;
  const sorted = yield* sortRules(stored.rules);
  const active: Rule[] = [];
  const decisive: ReadyRule[] = [];
  const marking: ReadyRule[] = [];
  const www: WwwRule[] = [];
  for (const [i, rule] of sorted.entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    if (rule.state !== 'active') continue;
    try {
      if (rule.kind === 'www') www.push(rule);
      else (rule.kind === 'relevant' ? marking : decisive).push(ready(rule));
      active.push(rule);
    } catch (error) {
      if (!(error instanceof BadRule)) throw error;
      broken.set(rule.id, error.message);
    }
  }
  const relevantRule = yield* createUrlMatcher(marking);
  const decides = yield* sparing(decisive, marking.length > 0 ? relevantRule : undefined);
  const rewrite = createRewriter(www);

  const relevanceOf = (url: string): boolean | undefined =>
    marking.length === 0 ? undefined : relevantRule(url) !== undefined;
  const bonusOf = (url: string): number => {
    const isRelevant = relevanceOf(url);
    return isRelevant === undefined ? 0 : isRelevant ? scores.score : scores.other;
  };
  const scoring: ScoringFilter = {
    injected: ({ score, cash }, url) => ({ score: score + bonusOf(url), cash }),
    initial: ({ score, cash }, url) => ({ score: score + bonusOf(url), cash }),
  };
  const ruleVersions = yield* versionsOf(active);
  let contradictions: Promise<readonly Contradiction[]> | undefined;
  const plugin: Plugin | undefined =
    active.length === 0
      ? undefined
      : {
          name: RULES_PLUGIN,
          version: versionOf(active.map(({ id }) => id)),
          ...(www.length > 0 && { normalizeUrl: (url) => rewrite(url)?.url ?? url }),
          ...((decisive.length > 0 || www.length > 0) && {
            filterUrl(url, scope) {
              // generate does not normalise URLs. If a `www` rule would now rewrite the URL of a row, generate refuses the row.
              const moved = scope === 'generate' ? rewrite(url) : undefined;
              if (moved) return moved.rule.id;
              const rule = decides(url);
              return rule?.kind === 'reject' ? rule.id : true;
            },
            ruleVersions,
          }),
          ...(marking.length > 0 && { scoring }),
        };
  const lists = new WeakMap<readonly Plugin[], readonly Plugin[]>();
  return {
    version: stored.version,
    stored,
    sorted,
    contradictions: () => (contradictions ??= inTimeSlices(contradictionSteps(sorted))),
    active,
    broken,
    plugin,
    decides,
    async decidesWithoutAccept() {
      const refusing = decisive.filter(({ rule }) => rule.kind !== 'accept');
      if (refusing.length === decisive.length) return decides;
      return inTimeSlices(sparing(refusing, marking.length > 0 ? relevantRule : undefined));
    },
    rewrite,
    relevantRule,
    relevanceOf,
    relevanceFields(url) {
      const isRelevant = relevanceOf(url);
      if (isRelevant === undefined) return {};
      const relevantBonus = isRelevant ? scores.score : scores.other;
      return { relevant: isRelevant, ...(relevantBonus !== 0 && { relevantBonus }) };
    },
    ruleOf: (id) => byId.get(id),
    describe(id) {
      const rule = byId.get(id);
      return rule && describeRuleInFull(rule);
    },
    addTo(plugins) {
      if (!plugin) return plugins;
      let list = lists.get(plugins);
      if (!list) lists.set(plugins, (list = [...plugins, plugin]));
      return list;
    },
  };
}

/** Makes a matcher in which a generated rule never refuses a relevant page, even if the rule is older than the `relevant` rule. */
function* sparing(decisive: readonly ReadyRule[], relevantRule: UrlMatcher | undefined): Steps<UrlMatcher> {
  const decides = yield* createUrlMatcher(decisive);
  const others = decisive.filter(({ rule }) => !isGeneratedReject(rule));
  if (!relevantRule || others.length === decisive.length) return decides;
  const othersDecide = yield* createUrlMatcher(others);
  return (url) => {
    const rule = decides(url);
    return rule && isGeneratedReject(rule) && relevantRule(url) ? othersDecide(url) : rule;
  };
}

/** @throws BadRule */
function ready(rule: UrlRule): ReadyRule {
  return 'regex' in rule.pattern ? { rule, pattern: compilePattern(rule.pattern.regex) } : { rule };
}

/** Rewrites a URL by the `www` rule of its domain. Undefined: there is no such rule, or the URL already has the right form. */
type Rewriter = (url: string) => Rewritten | undefined;

/** A normalised URL with a host name: scheme, host, and everything after the host. */
const PARTS = /^(https?:\/\/)([^/:[\]]+)(.*)$/s;
const WWW = 'www.';

/**
 * Makes a rewriter. For each domain, it rewrites at most two hosts: the domain itself, and the domain with `www.` before it.
 * @param rules in order of evaluation
 */
function createRewriter(rules: readonly WwwRule[]): Rewriter {
  const byHost = new Map<string, { readonly host: string; readonly rule: WwwRule }>();
  for (const rule of rules) {
    const domain = rule.scope.slice('domain:'.length);
    const [from, to] = rule.to === 'with' ? [domain, `${WWW}${domain}`] : [`${WWW}${domain}`, domain];
    // If two rules contradict each other, the first rule decides. So no URL is rewritten back and forth.
    if (!byHost.has(from) && !byHost.has(to)) byHost.set(from, { host: to, rule });
  }
  if (byHost.size === 0) return () => undefined;
  return (url) => {
    const [, scheme, host, rest] = PARTS.exec(url) ?? [];
    const found = host === undefined ? undefined : byHost.get(host);
    return found && { url: `${scheme}${found.host}${rest}`, rule: found.rule };
  };
}
